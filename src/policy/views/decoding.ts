/** Decodings: text that is encoded in another text, with a source map. */
import { createSourceMapBuilder, type SourceMap, type SourceMapBuilder } from "./source-map.ts";

export type HiddenEncoding =
  | "percent"
  | "html"
  | "unicode_escape"
  | "base64"
  | "hex"
  | "tags"
  | "variation_selectors"
  | "spaced_letters"
  | "hidden_gaps";

export interface Decoding extends SourceMap {
  encoding: HiddenEncoding;
}

/** Creates a collector that builds one decoding per encoding. */
export function createDecodingCollector() {
  // Lazy: most texts have no encoded run, and each evaluation reads dozens.
  let builders: Map<HiddenEncoding, SourceMapBuilder> | undefined;
  return {
    /** Adds a line that corresponds to `start` to `end` of the original. */
    add(encoding: HiddenEncoding, line: string, start: number, end: number): void {
      builders ??= new Map();
      const out = builders.get(encoding) ?? createSourceMapBuilder();
      builders.set(encoding, out);
      out.append(`${line}\n`, start, end);
    },
    build: (): readonly Decoding[] =>
      builders
        ? Array.from(builders, ([encoding, out]) => ({ ...out.build(), encoding }))
        : NO_DECODINGS,
  };
}

const NO_DECODINGS: readonly Decoding[] = [];
