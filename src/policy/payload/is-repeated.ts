/** Detects words and ids that each message, part and tool of a format repeats. They are not shown to approvers. */
import { type SegmentSource, toSearchablePath } from "../segment.ts";

/** Returns whether `text`, the value of the member `key`, is such a word or id at this location. */
export function isRepeated(
  key: string,
  text: string,
  { source, pointer, isSchema }: { source: SegmentSource; pointer: string; isSchema: boolean },
): boolean {
  if (isSchema) return key === "type" ? SCHEMA_TYPES.has(text) : SCHEMA_MEMBERS.has(key);
  if (source === "tool_definition") return key === "type" && FUNCTION_TYPES.has(text);
  const isFormat = CALL_IDS.has(key) || (WORD_MEMBERS.has(key) && WORDS.has(text));
  return isFormat && isItemMember(pointer);
}

/** Returns whether a pointer is of a member of a message, part or call. In other places its name has another meaning. */
export const isItemMember = (pointer: string): boolean =>
  ITEM_MEMBER.test(toSearchablePath(pointer));

const ITEM_MEMBER =
  /^\/(?:params\/)?(?:messages|contents|content|input|output|system|history)\/\d+\/(?:(?:content|parts|tool_calls|summary)\/\d+\/)*[^/]+$/;

/** Returns whether clients send this member of a message, part or call without a value. */
export const isRoutinelyEmpty = (name: string, pointer: string): boolean =>
  EMPTY_MEMBERS.has(name) && isItemMember(pointer);

const EMPTY_MEMBERS: ReadonlySet<string> = new Set([
  ...["content", "text", "refusal", "annotations", "citations", "logprobs", "name", "status", "id"],
  ...["tool_calls", "function_call", "audio", "reasoning", "reasoning_content", "summary", "parts"],
  ...["thinking", "signature", "encrypted_content", "cache_control", "detail", "phase", "output"],
]);

/** Types of tools that the client executes and describes by a schema. */
export const FUNCTION_TYPES: ReadonlySet<unknown> = new Set([undefined, "function", "custom"]);

const CALL_IDS: ReadonlySet<string> = new Set(["call_id", "tool_call_id", "tool_use_id"]);
const WORD_MEMBERS: ReadonlySet<string> = new Set(["type", "kind", "role", "object", "status"]);

const WORDS: ReadonlySet<string> = new Set([
  ...["user", "assistant", "system", "developer", "tool", "function", "model", "completed"],
  ...["message", "text", "input_text", "output_text", "summary_text", "reasoning", "thinking"],
  ...["function_call", "function_call_output", "tool_use", "tool_result", "custom"],
  ...["image", "image_url", "input_image", "file", "input_file", "document"],
]);

const SCHEMA_MEMBERS: ReadonlySet<string> = new Set([
  ...["format", "required", "pattern", "$ref", "$schema", "$id"],
]);
const SCHEMA_TYPES: ReadonlySet<string> = new Set([
  ...["object", "string", "number", "integer", "boolean", "array", "null"],
]);
