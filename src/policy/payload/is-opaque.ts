/** Detects strings of a body that are not text: ids and keywords of the format. */
import type { SegmentSource } from "../segment.ts";
import { decodeBase64AndHex } from "../views/decode-base64-and-hex.ts";
import { SEALED_MEMBERS } from "./decode-member.ts";

/**
 * Opaque strings are neither inspected nor transformed. Strings with white space or other letters than ASCII are
 * inspected, since they may hide prose, and so are strings with as many digits as a card has, also if encoded.
 */
export const isOpaque = (key: string, text: string, source: SegmentSource): boolean =>
  isIdentifier(key, text, source) && !mayBeCard(text);

const mayBeCard = (text: string): boolean =>
  CARD_DIGITS.test(text) || decodeBase64AndHex(text).some((run) => CARD_DIGITS.test(run.text));

/** Returns whether a string is an id or keyword by its member, length and characters: visible ASCII. */
export const isIdentifier = (key: string, text: string, source: SegmentSource): boolean =>
  isNameMember(key, source) && text.length <= MAX_NAME_CHARACTERS && !/[^!-~]/.test(text);

const CARD_DIGITS = /\b(?:\d\W{0,4}){12}/;
const MAX_NAME_CHARACTERS = 256;

const isNameMember = (key: string, source: SegmentSource) =>
  NAME_MEMBERS.has(key) ||
  key.endsWith("_id") ||
  key.endsWith("Id") ||
  (source === "tool_definition" && SCHEMA_NAME_MEMBERS.has(key));

const NAME_MEMBERS = new Set([
  ...SEALED_MEMBERS,
  ...["id", "type", "kind", "role", "object", "status", "model", "user", "jsonrpc", "method"],
  ...["modelVersion", "system_fingerprint", "anthropic_version", "container", "safety_identifier"],
  // Random characters, by which OpenAI hides the length of a streamed token.
  "obfuscation",
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

/** Members of JSON Schema that are not prose. */
const SCHEMA_NAME_MEMBERS = new Set(["$ref", "$schema", "$id", "required", "pattern"]);
