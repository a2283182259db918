/** Which strings of a body are not text: ids, words of the format and encoded pictures or sounds. */
import type { Source } from "../segment.ts";

/**
 * None of these is ever a segment: no detector shall stumble over it, and no Transform change it. Names
 * that hold a blank are prose in hiding, and are read.
 */
export function isOpaque(key: string, text: string, source: Source): boolean {
  if (ENCODED.has(key) && text.length >= SHORTEST_ENCODED && BASE64.test(text)) return true;
  if (isName(key, source)) return text.length <= LONGEST_NAME && !/\s/.test(text);
  return isDataUrl(text);
}

/** The whole of it: prose behind a picture is text. */
export const isDataUrl = (text: string): boolean => text.startsWith("data:") && DATA_URL.test(text);

/** Longer than most secrets, shorter than any picture. */
const SHORTEST_ENCODED = 80;
const LONGEST_NAME = 256;
// Linear: what repeats without bound cannot match what may follow it.
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const DATA_URL = /^data:[^,\s]{0,200};base64,[A-Za-z0-9+/_-]*={0,2}$/;

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
