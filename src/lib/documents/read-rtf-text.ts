/** Reads the text of an RTF document, with all its groups, also hidden ones. */
import type { TimeSlicer } from "./time-slicer.ts";

/** A control word with its number, an escaped byte, another control symbol, a brace or a line end. */
const TOKEN = /\\(?:([a-zA-Z]{1,32})(-?\d{1,10})? ?|'([\da-fA-F]{2})|([\s\S]))|[{}]|[\r\n]+/g;

export async function readRtfText(bytes: Uint8Array, slicer: TimeSlicer): Promise<string> {
  const source = WINDOWS.decode(bytes);
  const pieces: string[] = [];
  let at = 0;
  /** Number of fallback characters after each `\u`, for readers without Unicode. Set by `\uc` for its group. */
  let fallbacks = 1;
  const outer: number[] = [];
  /** Fallback characters that remain to be skipped. */
  let skip = 0;
  const put = (text: string) => {
    pieces.push(text.slice(skip));
    skip = Math.max(0, skip - text.length);
  };
  for (const token of source.matchAll(TOKEN)) {
    if (slicer.isDue()) await slicer.yield();
    if (token.index > at) put(source.slice(at, token.index));
    at = token.index + token[0].length;
    const [, word, number, hex, sign] = token;
    if (hex !== undefined) put(WINDOWS.decode(Uint8Array.of(Number.parseInt(hex, 16))));
    else if (word === "u") {
      pieces.push(String.fromCharCode(Number(number) & 0xffff));
      skip = fallbacks;
    } else if (word === "uc") {
      skip = 0;
      fallbacks = Math.min(Math.max(0, Number(number ?? 1)), MAX_FALLBACKS);
    } else if (word !== undefined) {
      skip = 0;
      pieces.push(WORDS.get(word) ?? "");
    } else if (sign !== undefined) put(SIGNS.get(sign) ?? sign);
    else if (token[0] === "{") {
      skip = 0;
      outer.push(fallbacks);
    } else if (token[0] === "}") {
      skip = 0;
      fallbacks = outer.pop() ?? 1;
    }
  }
  put(source.slice(at));
  return pieces.join("");
}

/** No charset needs more bytes per character. A larger number would hide text that other readers show. */
const MAX_FALLBACKS = 4;
const WINDOWS = new TextDecoder("windows-1252");
const WORDS = new Map([
  ...["par", "line", "row", "page", "sect"].map((word) => [word, "\n"] as const),
  ...["tab", "cell"].map((word) => [word, "\t"] as const),
]);
const SIGNS = new Map([
  ["~", "\u00a0"],
  ["-", ""],
  ["_", "-"],
  ["*", ""],
  ["\n", "\n"],
  ["\r", "\n"],
]);
