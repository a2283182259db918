/** Translates an upstream's response, stream or error to the format of the client. */

import { checkParts, MAX_RESPONSE_CHARACTERS } from "../../dialects/check-events.ts";
import type { InboundDialect, OutboundDialect, ReplyContext } from "../../dialects/dialect.ts";
import { invalidResponse, parseUpstreamJson } from "../../dialects/invalid-response.ts";
import type { Usage } from "../../dialects/neutral.ts";
import { createStreamTranslator } from "../../dialects/translate-stream.ts";
import type { WorkMeter } from "../../lib/concurrency/fair-turns.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { decodeUtf8 } from "../../lib/view-bytes.ts";
import { isEventStream, type ReplyHeaders } from "../../net/http/read-header-block.ts";
import { type Bytes, createWholeReply, type Reply } from "../../net/http/reply.ts";
import { readReply } from "./upstream-reply.ts";

export interface ReplyTranslation {
  inbound: InboundDialect;
  outbound: OutboundDialect;
  reply: ReplyContext;
  isStream: boolean;
  onUsage: (usage: Usage | undefined) => void;
  /** Counts the time that the translation of a stream takes: a fast upstream always has a next chunk. */
  work: WorkMeter;
}

export function translateReply(
  received: Reply,
  translation: ReplyTranslation,
): Reply | Promise<Reply> {
  const { status, headers } = received;
  if (headers.get("content-encoding") !== undefined) {
    received.cancel();
    throw invalidResponse("is compressed, although the request does not allow it");
  }
  if (status >= 400) return translateError(received, translation);
  const type = headers.get("content-type") ?? "";
  const isStream = translation.outbound.framing
    ? type.startsWith(translation.outbound.framing.content_type)
    : isEventStream(headers);
  if (isStream !== translation.isStream) {
    received.cancel();
    throw invalidResponse(translation.isStream ? "is not a stream" : "is a stream");
  }
  return translation.isStream
    ? translateEvents(received, translation)
    : translateWhole(received, translation);
}

async function translateWhole(
  received: Reply,
  { inbound, outbound, reply, onUsage }: ReplyTranslation,
): Promise<Reply> {
  const body = parseJson(await readReply(received, MAX_RESPONSE_CHARACTERS));
  if (!isObject(body)) throw invalidResponse("is not a JSON object");
  const response = outbound.readResponse(body);
  checkParts(response.parts);
  onUsage(response.usage);
  return toJsonReply(received, inbound.writeResponse(response, reply));
}

async function translateError(
  received: Reply,
  { inbound, outbound }: ReplyTranslation,
): Promise<Reply> {
  const bytes = await readReply(received, MAX_RESPONSE_CHARACTERS);
  const body = parseJson(bytes) ?? Buffer.from(bytes).toString().slice(0, MAX_ERROR_CHARACTERS);
  return toJsonReply(received, inbound.writeError(outbound.readError(received.status, body)));
}

/** Caps an error page that is not JSON. */
const MAX_ERROR_CHARACTERS = 1000;

const toJsonReply = (received: Reply, body: JsonObject): Reply =>
  createWholeReply(
    { status: received.status, headers: withType(received, "application/json") },
    Buffer.from(JSON.stringify(body)),
  );

/** Keeps the upstream's other headers, such as its request id and rate limits. */
const withType = ({ headers }: Reply, type: string): ReplyHeaders => ({
  get: (name) => (name === "content-type" ? type : headers.get(name)),
  entries: () => headers.entries(),
});

const MAX_SLICE_BYTES = 16 * 1024;

function translateEvents(
  received: Reply,
  { inbound, outbound, reply, onUsage, work }: ReplyTranslation,
): Reply {
  const translator = createStreamTranslator(
    outbound.createStreamReader(),
    inbound.createStreamWriter(reply),
    { onUsage, source: outbound.framing?.createSplitter() },
  );
  let isEnded = false;
  /** Part of the last chunk that is not translated. */
  let rest: Bytes | undefined;

  /** Many events have no text for the client, so it reads until one has. */
  async function read(): Promise<Bytes | undefined> {
    while (!isEnded) {
      const chunk = rest ?? (await received.read());
      rest = chunk && chunk.length > MAX_SLICE_BYTES ? chunk.subarray(MAX_SLICE_BYTES) : undefined;
      work.start();
      const text = chunk ? translator.push(chunk.subarray(0, MAX_SLICE_BYTES)) : translator.end();
      isEnded = !chunk || translator.isOver();
      if (isEnded && chunk) received.cancel();
      await work.yieldIfDue();
      if (text !== "") return Buffer.from(text);
    }
    return undefined;
  }

  const headers = withType(received, "text/event-stream; charset=utf-8");
  const { status, cancel } = received;
  return { status, headers, whole: undefined, read, exclusive: false, cancel };
}

const parseJson = (bytes: Uint8Array): unknown => parseUpstreamJson(decodeUtf8(bytes));
