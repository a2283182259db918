/** Masks the registry's key in an error response, because some upstreams repeat the key that they reject. */
import type { Bytes } from "../net/http/reply.ts";
import type { UpstreamReply } from "./upstream/upstream-reply.ts";

/** Keeps the length of the body. A key that is split between two chunks is not found. */
export function maskKey(body: UpstreamReply["body"], key: string): UpstreamReply["body"] {
  const mask = (bytes: Bytes | undefined): Bytes | undefined => {
    if (bytes) maskKeyInBytes(bytes, key);
    return bytes;
  };
  if (body.kind === "whole") {
    mask(body.bytes);
    return body;
  }
  return { ...body, first: mask(body.first), read: async () => mask(await body.read()) };
}

/** Masks the key in place. */
export function maskKeyInBytes({ buffer, byteOffset, length }: Uint8Array, key: string): void {
  const wanted = Buffer.from(key.replaceAll("\\", ""));
  if (wanted.length >= MIN_KEY_BYTES) maskBytes(Buffer.from(buffer, byteOffset, length), wanted);
}

/** A shorter key may be a word of the response. */
const MIN_KEY_BYTES = 8;

function maskBytes(bytes: Buffer, wanted: Buffer): void {
  for (let at = 0; at < bytes.length; at++) {
    // An escape begins with the first backslash of a run; trying each would take quadratic time.
    const isEscape = bytes[at] === BACKSLASH && bytes[at - 1] !== BACKSLASH;
    if (!isEscape && bytes[at] !== wanted[0]) continue;
    const end = findKeyEnd(bytes, at, wanted);
    if (end === undefined) continue;
    bytes.fill("*", at, end);
    at = end - 1;
  }
}

/**
 * Returns the end of the key that begins at `start`, if there is one. Recognizes JSON escapes (`\/`, `\u002B`)
 * with any number of backslashes, because the response may quote JSON in a JSON string.
 */
function findKeyEnd(bytes: Buffer, start: number, wanted: Buffer): number | undefined {
  let at = start;
  for (let index = 0; index < wanted.length; index++) {
    const byte = wanted[index];
    while (bytes[at] === BACKSLASH) at += 1;
    const isEscaped = bytes[at - 1] === BACKSLASH && bytes[at] === LETTER_U;
    if (isEscaped && readHex(bytes, at + 1) === byte) at += 5;
    else if (bytes[at] === byte) at += 1;
    else return undefined;
  }
  return at;
}

const readHex = (bytes: Buffer, at: number): number =>
  Number.parseInt(bytes.toString("latin1", at, at + 4), 16);

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
