/** What a part of a text says when it is decoded. */
import { type Rewriter, rewriter, type SourceMap } from "./source-map.ts";

export type Encoding =
  | "percent"
  | "html"
  | "unicode_escape"
  | "base64"
  | "hex"
  | "tags"
  | "variation_selectors";

export interface Decoding extends SourceMap {
  how: Encoding;
}

/** Gathers what is decoded, each encoding apart: most texts hold none. */
export function decodings() {
  const found = new Map<Encoding, Rewriter>();
  return {
    /** A line of its own, which stands for `start` to `end` of the original. */
    put(how: Encoding, line: string, start: number, end: number): void {
      const out = found.get(how) ?? rewriter();
      found.set(how, out);
      out.put(`${line}\n`, start, end);
    },
    done: (): readonly Decoding[] => Array.from(found, ([how, out]) => ({ ...out.done(), how })),
  };
}
