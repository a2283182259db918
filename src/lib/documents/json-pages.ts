/** Finds pages in the strings of JSON text, such as the result of a tool that fetches pages. */
import { skipSpace, skipValue } from "../json/skip-value.ts";
import { findStringEnd } from "../json/source-text.ts";

export interface JsonPage {
  text: string;
  /** The string as written, with its quotes. */
  literal: string;
  /** Offset of `literal` in the JSON text. */
  start: number;
}

export type PageTest = (text: string) => boolean;

/** Returns whether the text is JSON, and `isPage` accepts one of its strings. */
export const hasJsonPages = (text: string, isPage: PageTest): boolean =>
  (text.includes("<") || text.includes("\\u003")) &&
  JSON_START.test(text) &&
  text.search(MARKUP) >= 0 &&
  isJson(text) &&
  !iterateJsonPages(text, isPage).next().done;

const JSON_START = /^\s*[[{"]/;
/** Some writers escape `<`, and others the slash after it. */
const MARKUP = /(?:<|\\u003c)[?!a-z/\\]/gi;

function isJson(text: string): boolean {
  const bytes = Buffer.from(text);
  const end = skipValue(bytes, skipSpace(bytes, 0));
  return end >= 0 && skipSpace(bytes, end) === bytes.length;
}

/** Expects valid JSON, in which only strings contain markup. */
export function* iterateJsonPages(json: string, isPage: PageTest): Generator<JsonPage> {
  const markup = new RegExp(MARKUP);
  for (let found = markup.exec(json); found; found = markup.exec(json)) {
    const start = findStringStart(json, found.index);
    const end = findStringEnd(json, start);
    const literal = json.slice(start, end);
    const text = String(JSON.parse(literal));
    if (isPage(text)) yield { text, literal, start };
    markup.lastIndex = end;
  }
}

/** Returns the offset of the quote before the string that contains `at`. */
function findStringStart(json: string, at: number): number {
  for (let quote = json.lastIndexOf('"', at); ; quote = json.lastIndexOf('"', quote - 1)) {
    let before = quote;
    while (json[before - 1] === "\\") before--;
    if ((quote - before) % 2 === 0) return quote;
  }
}
