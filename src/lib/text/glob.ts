/** Does a text match a pattern in which `*` stands for any run of characters? Linear in the text. */

/** Anchored at both ends, case-sensitive; nothing but `*` is special. */
export const matchesGlob = (pattern: string, text: string): boolean =>
  matchesParts(pattern.split("*"), text);

/** Whether any of the patterns matches, taken apart once for many questions. */
export function compileGlobs(patterns: readonly string[]): (text: string) => boolean {
  const taken = patterns.map((pattern) => pattern.split("*"));
  return (text) => taken.some((parts) => matchesParts(parts, text));
}

function matchesParts(parts: readonly string[], text: string): boolean {
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return first === text;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (let index = 1; index < parts.length - 1; index++) {
    const part = parts[index] ?? "";
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
