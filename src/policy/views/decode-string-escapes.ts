/** Reads what JSON and source code write for characters inside strings: `\n`, `\t`, `\u201c`. */
import { createSourceMapBuilder, type SourceMap } from "./source-map.ts";

/**
 * A tool's answer is often JSON in a text: the `n` of `\nana@example.com` belongs to no address, and masked
 * with one it would leave half an escape behind. undefined: there is none.
 */
export function decodeStringEscapes(text: string): SourceMap | undefined {
  if (!text.includes("\\")) return undefined;
  const out = createSourceMapBuilder();
  let done = 0;
  for (const { 0: written, index } of text.matchAll(ESCAPE)) {
    out.append(text.slice(done, index), done, index);
    done = index + written.length;
    out.append(decodeEscape(written), index, done);
  }
  if (done === 0) return undefined;
  out.append(text.slice(done), done, text.length);
  return out.build();
}

/** JSON inside JSON doubles the backslashes of what is inside. */
const ESCAPE = /\\{1,8}(?:[nrt]|u[\da-fA-F]{4})/g;

function decodeEscape(written: string): string {
  const [, digits] = /u(.{4})$/.exec(written) ?? [];
  if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
  return written.endsWith("t") ? "\t" : "\n";
}
