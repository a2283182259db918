/** Which strings of a body are not text: ids, words of the format and encoded pictures or sounds. */
import { containerKind, HEAD_BYTES } from "../../lib/documents/container-kind.ts";
import type { Source } from "../segment.ts";
import { isTextByte, readableBytes } from "../views/readable-bytes.ts";

/**
 * None of these is ever a segment: no detector shall stumble over it, and no Transform change it. Names
 * that hold a blank are prose in hiding, and are read.
 */
export function isOpaque(key: string, text: string, source: Source): boolean {
  if (ENCODED.has(key) && isLongEnough(text) && isBytes(text)) return true;
  if (isName(key, source)) return text.length <= LONGEST_NAME && !/\s/.test(text);
  return isDataUrl(text);
}

/** Whether bytes may stand here that open as a document. Those that read as text are both. */
export function isDocument(key: string, text: string): boolean {
  if (text.length < SHORTEST_ENCODED || !(ENCODED.has(key) || text.startsWith("data:"))) {
    return false;
  }
  const start = DATA_URL.exec(text)?.[0].length ?? 0;
  const head = Buffer.from(text.slice(start, start + HEAD_CHARACTERS), "base64");
  return containerKind(head) !== undefined;
}

/** The whole of it: prose behind a picture is text. */
export const isDataUrl = (text: string): boolean => {
  const opening = text.startsWith("data:") ? DATA_URL.exec(text) : null;
  return opening !== null && isBytes(text.slice(opening[0].length));
};

/** Shorter than any picture; and the tokens that are written in such letters have one of the signs, and are shorter. */
const SHORTEST_ENCODED = 80;
const SHORTEST_WITH_SIGNS = 256;
const isLongEnough = (text: string) =>
  text.length >= (/[-_]/.test(text) ? SHORTEST_WITH_SIGNS : SHORTEST_ENCODED);

const HEAD_CHARACTERS = Math.ceil(HEAD_BYTES / 3) * 4;
const LONGEST_NAME = 256;
const DATA_URL = /^data:[^,\s]{0,200};base64,/;
// Linear: what repeats without bound cannot match what may follow it.
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** A document in base64 that is text is read by a model as text. */
function isBytes(text: string): boolean {
  if (!BASE64.test(text)) return false;
  const reads = (part: string) => readableBytes(Buffer.from(part, "base64")) !== undefined;
  // In letters beyond ASCII the first part may end inside one.
  return !(text.length > 0 && isTextHead(text) && reads(text));
}

const isTextHead = (text: string) => Buffer.from(text.slice(0, 64), "base64").every(isTextByte);

const SEALED = ["encrypted_content", "signature", "thoughtSignature", "thought_signature"];
const ENCODED = new Set([
  ...["data", "bytes", "blob", "b64_json", "file_data", "result"],
  ...SEALED,
]);

const isName = (key: string, source: Source) =>
  NAMES.has(key) ||
  key.endsWith("_id") ||
  key.endsWith("Id") ||
  (source === "tool_definition" && SCHEMA_NAMES.has(key));

const NAMES = new Set([
  ...SEALED,
  ...["id", "type", "kind", "role", "object", "status", "model", "user", "jsonrpc", "method"],
  ...["modelVersion", "system_fingerprint", "anthropic_version", "container", "safety_identifier"],
  ...["finish_reason", "finishReason", "stop_reason", "stopReason", "stop_sequence", "stop"],
  ...["stop_sequences", "stopSequences", "tool_choice", "toolChoice", "service_tier", "modalities"],
  ...[
    "reasoning_effort",
    "effort",
    "verbosity",
    "truncation",
    "include",
    "prompt_cache_key",
    "mode",
  ],
  ...["media_type", "mime_type", "mimeType", "content_type", "format", "detail", "voice"],
  ...["protocolVersion", "responseMimeType", "trafficType", "modality"],
]);

/** Of JSON Schema: what is not prose. */
const SCHEMA_NAMES = new Set(["$ref", "$schema", "$id", "required", "enum", "const", "pattern"]);
