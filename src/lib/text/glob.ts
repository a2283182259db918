/** Matches text against patterns in which `*` matches any characters, in linear time. */

/** Anchored at both ends and case-sensitive; no character but `*` is special. */
export const matchesGlob = (pattern: string, text: string): boolean =>
  matchesParts(pattern.split("*"), text);

/** Compiles the patterns to a function that returns whether any of them matches. */
export function compileGlobs(patterns: readonly string[]): (text: string) => boolean {
  const compiled = patterns.map((pattern) => pattern.split("*"));
  return (text) => compiled.some((parts) => matchesParts(parts, text));
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
