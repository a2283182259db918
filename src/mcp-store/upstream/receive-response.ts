/** Receives a response of an MCP server, as JSON or as a stream of events, with limits on its size and memory. */
import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import type { WorkMeter } from "../../lib/concurrency/fair-turns.ts";
import { MAX_MEMBERS, measureJson } from "../../lib/json/measure-json.ts";
import { MAX_DEPTH } from "../../lib/json/skip-value.ts";
import { createSizeCap } from "../../lib/streams/capped-body.ts";
import { isEventStream } from "../../net/http/read-header-block.ts";
import type { Reply } from "../../net/http/reply.ts";
import { readReplyBytes, readReplyText } from "../../net/read-reply-bytes.ts";
import type { ByteReservation } from "../../reserve-bytes.ts";
import { parseToolResponse } from "./parse-tool-response.ts";
import { readStreamedResponse } from "./read-streamed-response.ts";

/** Limit for one response, with everything that is streamed before it. */
const MAX_BYTES = 16 * 1024 * 1024;
/** A response is in memory as bytes and as text before it is parsed. */
const COPIES = 2;

export interface ReceiveOptions {
  memory: ByteReservation;
  signal: AbortSignal;
  /** True: long integers are not rounded. Definitions of tools are, as when they were accepted. */
  is_tool_call: boolean;
  /** Resolves when a message of this size may be parsed: those that arrive together would block other requests. */
  waitToParse: (bytes: number) => Promise<void>;
  /** Counts the time that reading a stream takes. */
  work: WorkMeter;
  resume: (last_event_id: string) => Promise<Reply>;
  /** Receives the messages that precede the response, such as progress, as they arrive. */
  onmessage: (message: object) => void;
}

/** Returns the parsed response, which the caller validates. */
export async function receiveResponse(
  reply: Reply,
  { memory, signal, is_tool_call, waitToParse, work, resume, onmessage }: ReceiveOptions,
): Promise<object> {
  const { headers } = reply;
  const parse = (text: string): object => {
    const { weight, depth, members } = measureJson(text);
    if (depth > MAX_DEPTH) throw tooDeep();
    if (members > MAX_MEMBERS) throw tooManyMembers();
    memory.add(weight);
    return parseMessage(text, is_tool_call);
  };
  if (isEventStream(headers)) {
    const count = createByteCounter(memory);
    const options = { count, waitToParse, work, parse, onmessage, resume, signal };
    return await readStreamedResponse(reply, options);
  }
  const bytes = await readReplyBytes(reply, createByteCounter(memory));
  await waitToParse(bytes.length);
  const text = new TextDecoder().decode(bytes);
  const type = headers.get("content-type") ?? "";
  if (/^application\/json/i.test(type)) return parse(text);
  throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, `Unexpected content type: ${type}`);
}

/** Reads a response without content to its end, so that its connection can be used again. */
export async function discardResponse(reply: Reply, memory: ByteReservation): Promise<void> {
  await readReplyBytes(reply, createByteCounter(memory));
}

/** Returns the body of a response with an error status; empty if it exceeds 64 KiB or cannot be read. */
export async function receiveErrorText(reply: Reply): Promise<string> {
  return await readReplyText(reply, MAX_ERROR_BYTES).catch(() => "");
}

/** The SDK parses the body, and takes more than 1 s for megabytes of brackets or of different names. */
const MAX_ERROR_BYTES = 64 * 1024;

function createByteCounter(memory: ByteReservation): (bytes: number) => void {
  const checkSize = createSizeCap(MAX_BYTES, tooLarge);
  return (bytes) => {
    checkSize(bytes);
    memory.add(bytes * COPIES);
  };
}

const tooLarge = () =>
  new AppError("upstream_failed", `The response exceeds ${MAX_BYTES / 1024 / 1024} MiB.`);

const tooDeep = () =>
  new AppError("upstream_failed", `The response is nested deeper than ${MAX_DEPTH} levels.`);

const tooManyMembers = () =>
  new AppError("upstream_failed", `The response has more than ${MAX_MEMBERS} members.`);

function parseMessage(text: string, is_tool_call: boolean): object {
  try {
    const message = is_tool_call ? parseToolResponse(text) : JSON.parse(text);
    if (typeof message === "object" && message !== null) return message;
  } catch {
    // Reported below without the text, which may contain a credential.
  }
  throw new AppError("upstream_failed", "The server sent a message that is not a JSON object.");
}
