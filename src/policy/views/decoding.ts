/** What a part of a text says when it is decoded. */
import { createSourceMapBuilder, type SourceMap, type SourceMapBuilder } from "./source-map.ts";

export type HiddenEncoding =
  | "percent"
  | "html"
  | "unicode_escape"
  | "base64"
  | "hex"
  | "tags"
  | "variation_selectors";

export interface Decoding extends SourceMap {
  encoding: HiddenEncoding;
}

/** Gathers what is decoded, each encoding apart: most texts hold none. */
export function createDecodingCollector() {
  const found = new Map<HiddenEncoding, SourceMapBuilder>();
  return {
    /** A line of its own, which stands for `start` to `end` of the original. */
    add(encoding: HiddenEncoding, line: string, start: number, end: number): void {
      const out = found.get(encoding) ?? createSourceMapBuilder();
      found.set(encoding, out);
      out.append(`${line}\n`, start, end);
    },
    build: (): readonly Decoding[] =>
      Array.from(found, ([encoding, out]) => ({ ...out.build(), encoding })),
  };
}
