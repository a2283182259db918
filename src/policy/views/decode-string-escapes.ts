/** Decodes the escapes of strings in JSON and source code (`\n`, `\t`, `\u201c`), and removes the colors of terminals. */
import { createSourceMapBuilder, type SourceMap } from "./source-map.ts";

/**
 * Returns undefined if there is no escape. Tool results are often JSON in a string: without this, the `n` of
 * `\nana@example.com` would be masked with the address, and half an escape would remain.
 */
export function decodeStringEscapes(text: string): SourceMap | undefined {
  if (!text.includes("\\") && !text.includes("\x1b")) return undefined;
  const out = createSourceMapBuilder();
  let done = 0;
  for (const { 0: escaped, index } of text.matchAll(ESCAPE)) {
    out.append(text.slice(done, index), done, index);
    done = index + escaped.length;
    out.append(decodeEscape(escaped), index, done);
  }
  if (done === 0) return undefined;
  out.append(text.slice(done), done, text.length);
  return out.build();
}

/** Several backslashes: JSON inside JSON doubles them. First the sequences of terminals, such as `\x1b[33m` and `\x1b(B`. */
const ESCAPE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals read it
  /(?:\x1b|\\{1,8}(?:u001[bB]|x1[bB]|033|e))(?:\[[\d;:?]{0,30}[A-Za-z]|\(B)|\\{1,8}(?:[nrt]|u[\da-fA-F]{4})/g;
const TERMINAL = /[[(]/;

function decodeEscape(escaped: string): string {
  if (TERMINAL.test(escaped)) return "";
  const [, digits] = /u(.{4})$/.exec(escaped) ?? [];
  if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
  return escaped.endsWith("t") ? "\t" : "\n";
}
