/**
 * Decodes the binary event stream of AWS: length-prefixed messages with headers and checksums.
 * https://smithy.io/2.0/aws/amazon-eventstream.html
 */
import { crc32 } from "node:zlib";

export interface AwsEventMessage {
  /** Only headers whose value is a string: the names and types of events. */
  headers: ReadonlyMap<string, string>;
  payload: string;
}

export interface AwsEventDecoder {
  /** Returns the messages that the chunk completes. Throws an Error for an invalid message. */
  push: (chunk: Uint8Array) => AwsEventMessage[];
  /** Returns whether the stream is between two messages. */
  isComplete: () => boolean;
}

/** Total length, header length and checksum of both. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** Limits of the specification. */
const MAX_HEADER_BYTES = 128 * 1024;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024 + MAX_HEADER_BYTES + PRELUDE_BYTES + CHECKSUM_BYTES;

export function createAwsEventDecoder(): AwsEventDecoder {
  let chunks: Uint8Array[] = [];
  let size = 0;
  /** Bytes that must arrive before the next step: a prelude, then its message. */
  let needed = PRELUDE_BYTES;

  return {
    push(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size < needed) return [];
      const bytes = Buffer.concat(chunks);
      const messages: AwsEventMessage[] = [];
      let at = 0;
      while (true) {
        const rest = bytes.subarray(at);
        needed = PRELUDE_BYTES;
        if (rest.length < needed) break;
        needed = readLength(rest);
        if (rest.length < needed) break;
        messages.push(readMessage(rest.subarray(0, needed)));
        at += needed;
      }
      chunks = at < bytes.length ? [bytes.subarray(at)] : [];
      size = bytes.length - at;
      return messages;
    },
    isComplete: () => size === 0,
  };
}

/** Returns the length of the message, after its checksum proves it. */
function readLength(bytes: Buffer): number {
  const length = bytes.readUInt32BE(0);
  const headers = bytes.readUInt32BE(4);
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) {
    throw new Error("The checksum of an event's lengths is wrong.");
  }
  const isValid =
    length <= MAX_MESSAGE_BYTES &&
    headers <= MAX_HEADER_BYTES &&
    length >= PRELUDE_BYTES + headers + CHECKSUM_BYTES;
  if (!isValid) throw new Error("The length of an event is invalid.");
  return length;
}

function readMessage(message: Buffer): AwsEventMessage {
  const end = message.length - CHECKSUM_BYTES;
  if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end)) {
    throw new Error("The checksum of an event is wrong.");
  }
  const payloadStart = PRELUDE_BYTES + message.readUInt32BE(4);
  return {
    headers: readHeaders(message.subarray(PRELUDE_BYTES, payloadStart)),
    payload: message.toString("utf8", payloadStart, end),
  };
}

const BYTE_ARRAY = 6;
const STRING = 7;
/** Bytes of the value by its type: booleans, integers of 1 to 8 bytes; then timestamp and UUID. */
const FIXED_SIZES: Record<number, number> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

function readHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) throw new Error("The headers of an event are incomplete.");
    at += count;
    return bytes.subarray(at - count, at);
  };
  while (at < bytes.length) {
    const name = take(take(1).readUInt8()).toString();
    const type = take(1).readUInt8();
    const size = FIXED_SIZES[type];
    if (size !== undefined) take(size);
    else if (type !== STRING && type !== BYTE_ARRAY) {
      throw new Error("A header of an event has an unknown type.");
    } else {
      const value = take(take(2).readUInt16BE());
      if (type === STRING) headers.set(name, value.toString());
    }
  }
  return headers;
}
