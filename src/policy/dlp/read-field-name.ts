/** The name of the field that a text is the whole value of: `{"ssn": "078051120"}` says what it is there. */
import type { Segment } from "../segment.ts";

/** Longer texts say themselves what is in them. */
const MAX_VALUE_CHARACTERS = 200;

/** The name as words, or nothing. Only tools have fields that were named after what is in them. */
export function readFieldName({ source, text, pointer, inner }: Segment): string {
  if (source !== "tool_arguments" && source !== "tool_result") return "";
  if (text.length > MAX_VALUE_CHARACTERS) return "";
  const names = (inner ?? pointer).split("/").filter((name) => !/^\d*$/.test(name));
  return (names.at(-1) ?? "").slice(0, 40).replace(/([a-z])([A-Z])/g, "$1 $2");
}
