/** Which strings of a body are not text: ids and words of the format. */
import type { Source } from "../segment.ts";
import { SEALED } from "./encoded.ts";

/**
 * No detector reads these, and no Transform changes them. Names that hold a blank are prose in hiding, and are read.
 */
export const isOpaque = (key: string, text: string, source: Source): boolean =>
  isName(key, source) && text.length <= MAX_NAME && !/\s/.test(text);

const MAX_NAME = 256;

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
const SCHEMA_NAMES = new Set(["$ref", "$schema", "$id", "required", "pattern"]);
