/** Reads the field name of a value as context for clue words: `{"ssn": "078051120"}`. */
import { type Segment, toSearchablePath } from "../segment.ts";

/** Longer texts contain their own context. */
const MAX_VALUE_CHARACTERS = 200;

/** Returns the name split into words, or an empty string. Only tool data has descriptive field names. */
export function readFieldName({ source, text, pointer, inner }: Segment): string {
  if (source !== "tool_arguments" && source !== "tool_result") return "";
  if (text.length > MAX_VALUE_CHARACTERS) return "";
  const names = toSearchablePath(inner ?? pointer)
    .split("/")
    .filter((name) => !/^\d*$/.test(name));
  return (names.at(-1) ?? "").slice(0, 40).replace(/([a-z])([A-Z])/g, "$1 $2");
}
