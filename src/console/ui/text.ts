/** Splits, joins and capitalizes text that people type and read. */

/** Returns the names in a comma-separated list. */
export const splitNames = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns "a, b or c". */
export function joinWords(words: readonly string[], last: "and" | "or"): string {
  const [end = "", ...before] = words.toReversed();
  return before.length === 0 ? end : `${before.toReversed().join(", ")} ${last} ${end}`;
}
