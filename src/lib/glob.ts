/** Does a text match a pattern in which `*` stands for any run of characters? Linear in the text. */

/** Anchored at both ends, case-sensitive; nothing but `*` is special. */
export function matchesGlob(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return pattern === text;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
