/** Finds pages in the strings of JSON text, such as the result of a tool that fetches pages. */
import { skipSpace, skipValue } from "../json/skip-value.ts";
import { findStringEnd } from "../json/source-text.ts";

export interface JsonPage {
  text: string;
  /** Maps an offset in `text` to the one in the JSON text. */
  toJson: OffsetMap;
}

type OffsetMap = (at: number) => number;

export type PageTest = (text: string) => boolean;

/** Returns whether the text is JSON, and `isPage` accepts one of its strings. */
export const hasJsonPages = (text: string, isPage: PageTest): boolean =>
  mayHavePages(text) && !iterateJsonPages(text, isPage).next().done;

const mayHavePages = (text: string): boolean =>
  (text.includes("<") || text.includes("\\u003")) &&
  JSON_START.test(text) &&
  text.search(MARKUP) >= 0 &&
  isJson(text);

const BYTE_ORDER_MARK = /^\ufeff/;
const JSON_START = /^\s*[[{"]/;
/** Some writers escape `<`, and others the slash after it. */
const MARKUP = /(?:<|\\u003c)[?!a-z/\\]/gi;

function isJson(text: string): boolean {
  const bytes = Buffer.from(text.replace(BYTE_ORDER_MARK, ""));
  const end = skipValue(bytes, skipSpace(bytes, 0));
  return end >= 0 && skipSpace(bytes, end) === bytes.length;
}

/** Expects valid JSON, in which only strings contain markup. A string that is JSON is decoded too. */
export function* iterateJsonPages(
  json: string,
  isPage: PageTest,
  toJson: OffsetMap = (at) => at,
  depth = 0,
): Generator<JsonPage> {
  const markup = new RegExp(MARKUP);
  for (let found = markup.exec(json); found; found = markup.exec(json)) {
    const start = findStringStart(json, found.index);
    const end = findStringEnd(json, start);
    const literal = json.slice(start, end);
    const text = String(JSON.parse(literal));
    const toLiteral = createOffsetMap(literal);
    const page = { text, toJson: (at: number) => toJson(start + toLiteral(at)) };
    if (depth < MAX_NESTING && mayHavePages(text))
      yield* iterateJsonPages(text, isPage, page.toJson, depth + 1);
    else if (isPage(text)) yield page;
    markup.lastIndex = end;
  }
}
/** A proxy returns the result of a tool, which contains the body of a response. */
const MAX_NESTING = 4;

/** Returns the offset of the quote before the string that contains `at`. */
function findStringStart(json: string, at: number): number {
  for (let quote = json.lastIndexOf('"', at); ; quote = json.lastIndexOf('"', quote - 1)) {
    let before = quote;
    while (json[before - 1] === "\\") before--;
    if ((quote - before) % 2 === 0) return quote;
  }
}

/** Returns a function that maps offsets in a string to those in its literal. */
function createOffsetMap(literal: string): OffsetMap {
  let escapes: Escapes | undefined;
  return (at) => {
    escapes ??= findEscapes(literal);
    const { ends, added } = escapes;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return 1 + at + (added[low] ?? 0);
  };
}

interface Escapes {
  /** Offsets in the string after each escape. */
  ends: number[];
  /** Lengths of all escapes up to each of them beyond one character each. */
  added: number[];
}

function findEscapes(literal: string): Escapes {
  const ends: number[] = [];
  const added: number[] = [0];
  let total = 0;
  for (let at = literal.indexOf("\\"); at >= 0; ) {
    const length = literal[at + 1] === "u" ? 6 : 2;
    ends.push(at - total);
    total += length - 1;
    added.push(total);
    at = literal.indexOf("\\", at + length);
  }
  return { ends, added };
}
