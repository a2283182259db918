/** What a part of a text says when it is decoded. */
import type { Rewriter, SourceMap } from "./source-map.ts";

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

/** Nothing, where nothing was decoded. */
export function decodings(of: Iterable<readonly [Encoding, Rewriter]>): readonly Decoding[] {
  return Array.from(of, ([how, out]) => ({ ...out.done(), how })).filter(({ text }) => text !== "");
}
