/** Evaluates a complete response before its first byte is sent. */
import { isUtf8 } from "node:buffer";
import { AppError } from "../../contract/errors.ts";
import type { Capability } from "../../contract/gateway/registries.ts";
import type { Deps } from "../../deps.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { parseStrict } from "../../lib/json/parse-strict.ts";
import { parseMember, scanMembers } from "../../lib/json/scan-members.ts";
import { declaresOtherCharset } from "../../lib/multipart/content-type.ts";
import { decodeUtf8 } from "../../lib/view-bytes.ts";
import { isEventStream } from "../../net/http/read-header-block.ts";
import type { Bytes } from "../../net/http/reply.ts";
import type { GuardView } from "../../snapshot/snapshot.ts";
import { takeTurnToParse } from "../../take-turn.ts";
import { MAX_VALUES } from "../body/parse-body.ts";
import { endRequest } from "../request-progress.ts";
import type { ForwardedRequest } from "../stages.ts";
import { readUsage } from "../upstream/read-usage.ts";
import { isBlocked } from "./admit-content.ts";
import { createGuardContext } from "./create-guard-context.ts";
import { emptyWordLists } from "./empty-word-lists.ts";
import { evaluateContent, recordUnread } from "./evaluate-content.ts";
import { findUnreadFiles } from "./find-unread-files.ts";
import { buildBlockError } from "./guard-errors.ts";
import { unwrapLines, wrapItem, wrapLines } from "./json-lines.ts";
import { readGuardedReply } from "./read-guarded-reply.ts";
import { setGuardHeader } from "./set-guard-header.ts";
import { guardStream } from "./stream/guard-stream.ts";

/** Responses that contain text. Embeddings, moderations and uploads have none; images, speech and files pass. */
export const EVALUATED_RESPONSES: ReadonlySet<Capability> = new Set([
  "chat",
  "responses",
  "messages",
  "generate_content",
  "audio_transcription",
  "completions",
  "rerank",
  "response_context",
  "stored_responses",
  "conversations",
  "batches",
  "message_batches",
]);

export async function guardResponse(
  deps: Deps,
  forwarded: ForwardedRequest,
  guard: GuardView,
): Promise<ForwardedRequest> {
  const { capability, reply } = forwarded;
  if (!guard.llm.output || !EVALUATED_RESPONSES.has(capability)) return forwarded;
  if (isEventStream(reply.headers)) return await guardStream(deps, forwarded, guard);
  const body = await readGuardedReply(deps, forwarded);
  const read = { ...forwarded, reply: { ...reply, body } };
  if (body.kind === "whole" && body.bytes.length === 0) return read;
  try {
    const bytes = await evaluateReply(deps, read, guard);
    return bytes ? { ...read, reply: { ...reply, body: { kind: "whole", bytes } } } : read;
  } catch (thrown) {
    // The upstream has processed the request, so its usage counts.
    const error = AppError.from(thrown);
    const { status } = error;
    const usage = body.kind === "whole" ? readUsage(body.bytes) : null;
    const { registry } = forwarded.candidate;
    const upstream_error = reply.status < 400 ? null : reply.attempt.message;
    endRequest(deps, forwarded, { status, error, upstream_error, registry, usage });
    throw thrown;
  }
}

/** Returns the masked response; undefined to send it unchanged. */
async function evaluateReply(
  deps: Deps,
  forwarded: ForwardedRequest,
  guard: GuardView,
): Promise<Bytes | undefined> {
  const context = createGuardContext(deps, forwarded, guard, {
    direction: "output",
    candidates: [forwarded.candidate],
  });
  const { consumer, reply } = forwarded;
  if (reply.body.kind === "whole") {
    const size = reply.body.bytes.length;
    // Without the client: the response is evaluated for the record even if it has disconnected.
    await takeTurnToParse(deps, { owner: consumer.id, size, client: undefined });
  }
  const content = readContent(forwarded);
  const evaluation =
    typeof content === "string"
      ? await recordUnread(deps, context, content)
      : await evaluateContent(deps, context, {
          ...(content.payload && { payload: content.payload }),
          text: content.text,
          is_foreign_body: true,
          on_ask: "allow",
          unread: findUnreadFiles(forwarded, content.files, "output_file_id"),
        });
  if (!evaluation) return undefined;
  const { verdict, transformed } = evaluation;
  setGuardHeader(forwarded.context, verdict.status);
  if (isBlocked(evaluation)) throw buildBlockError(verdict, "response");
  if (transformed === null || typeof content === "string") return undefined;
  if (content.format === "text") return Buffer.from(readText(transformed));
  if (content.format === "wrapped") return Buffer.from(unwrapLines(transformed));
  if (content.format === "list") return Buffer.from(`[${transformed}]`);
  const isTranscription = forwarded.capability === "audio_transcription";
  return Buffer.from(isTranscription ? emptyWordLists(transformed) : transformed);
}

interface ReplyContent {
  /** Undefined for a large response: it is parsed where it is evaluated, in a worker. */
  payload?: JsonObject;
  text: string;
  /** Members that may name a file. */
  files: JsonObject;
  /**
   * `object`: the response is `payload`. `list`: a list with `payload` only. `text`, `wrapped`: `payload` contains the
   * text, the JSON lines or the item of the response.
   */
  format: "object" | "list" | "text" | "wrapped";
}

/** Returns the reason if the response cannot be read. */
function readContent({
  endpoint,
  reply: { body, headers },
}: ForwardedRequest): ReplyContent | string {
  if (body.kind === "stream") return "The response exceeds GUARD_BODY_MIB.";
  if (headers.get("content-encoding") !== undefined) return "The response is compressed.";
  const type = headers.get("content-type") ?? "";
  if (declaresOtherCharset(type)) return "The response is not in UTF-8.";
  const { bytes } = body;
  const wrap = endpoint.item ? wrapItem : endpoint.lines && wrapLines;
  const format = wrap ? "wrapped" : "object";
  const json = wrap ? wrap(bytes) : bytes;
  const scan = json.length > MAX_PARSED_BYTES ? scanMembers(json, ["output_file_id"]) : NOT_SCANNED;
  if (scan.ok) {
    const files = { output_file_id: parseMember(scan, "output_file_id") };
    return { text: decodeUtf8(json), files, format };
  }
  const parsed = parseStrict(json, { maxValues: MAX_VALUES });
  if (parsed.ok && isObject(parsed.value)) {
    return { payload: parsed.value, text: parsed.text, files: parsed.value, format };
  }
  // Such as a Gemini stream without events.
  if (parsed.ok && Array.isArray(parsed.value)) {
    const [payload, ...others] = parsed.value;
    if (others.length > 0) return "The response is a list, whose texts may continue each other.";
    const text = parsed.text.trim().slice(1, -1);
    if (isObject(payload)) return { payload, text, files: payload, format: "list" };
  }
  if (endpoint.lines) return "The response is not in JSON lines.";
  if (!parsed.ok && JSON_TYPE.test(type)) return `The response is ${parsed.reason}.`;
  if (!isUtf8(bytes)) return "The response is not valid UTF-8.";
  const payload = { text: decodeUtf8(bytes) };
  // Clients that requested a stream do not check its type, and a match may be split over events.
  if (EVENT_DATA.test(payload.text)) return "The stream does not have the type text/event-stream.";
  return { payload, text: JSON.stringify(payload), files: {}, format: "text" };
}

/** Larger responses are not parsed in the main thread. */
const MAX_PARSED_BYTES = 64 * 1024;
const NOT_SCANNED = { ok: false } as const;

const JSON_TYPE = /json/i;
const EVENT_DATA = /^\ufeff*data:\s*\{/m;

/** Returns the text of a rewritten payload of `readContent`. */
const readText = (json: string): string => (JSON.parse(json) as { text: string }).text;
