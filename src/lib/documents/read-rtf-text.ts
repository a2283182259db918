/** Reads the text of an RTF document, with all its groups, also hidden ones. */
import type { TimeSlicer } from "./time-slicer.ts";

/** A control word with its number, an escaped byte, another control symbol, a brace or a line end. */
const TOKEN = /\\(?:([a-zA-Z]{1,32})(-?\d{1,10})? ?|'([\da-fA-F]{2})|([\s\S]))|[{}]|[\r\n]+/g;

/** State of a group, which its end restores. */
interface Group {
  /** Number of fallback characters after each `\u`, for readers without Unicode. Set by `\uc`. */
  fallbacks: number;
  /** Its text is beside the text around it, such as a note or a bookmark. */
  isAside: boolean;
  /** Its text is marked as hidden or deleted. */
  isHidden: boolean;
}

const BODY: Group = { fallbacks: 1, isAside: false, isHidden: false };

/** Lines that contain hidden text follow once more without it: it may part a number. */
export async function readRtfText(bytes: Uint8Array, slicer: TimeSlicer): Promise<string> {
  const source = WINDOWS.decode(bytes);
  const pieces: string[] = [];
  /** The visible pieces of the current line. */
  let shown: string[] = [];
  let isWhole = true;
  const asides: string[] = [];
  let at = 0;
  let group = { ...BODY };
  const outer: Group[] = [];
  /** The group has no text or control word yet, so that the next one may declare what it is. */
  let isStart = false;
  /** Fallback characters that remain to be skipped. */
  let skip = 0;
  const add = (text: string) => {
    if (text === "") return;
    pieces.push(text);
    if (group.isAside || group.isHidden) isWhole = false;
    else shown.push(text);
  };
  const endLine = () => {
    if (!isWhole) asides.push("\n", shown.join(""));
    shown = [];
    isWhole = true;
  };
  const put = (text: string) => {
    add(text.slice(skip));
    skip = Math.max(0, skip - text.length);
  };
  for (const token of source.matchAll(TOKEN)) {
    if (slicer.isDue()) await slicer.yield();
    if (token.index > at) put(source.slice(at, token.index));
    isStart &&= token.index === at;
    at = token.index + token[0].length;
    const [, word, number, hex, sign] = token;
    if (hex !== undefined) put(WINDOWS.decode(Uint8Array.of(Number.parseInt(hex, 16))));
    else if (word === "u") {
      add(String.fromCharCode(Number(number) & 0xffff));
      skip = group.fallbacks;
    } else if (word === "uc") {
      skip = 0;
      group.fallbacks = Math.min(Math.max(0, Number(number ?? 1)), MAX_FALLBACKS);
    } else if (word !== undefined) {
      skip = 0;
      if (HIDING.has(word)) group.isHidden = number !== "0";
      else if (word === "plain") group.isHidden = false;
      else if (isStart && ASIDES.has(word)) group.isAside = true;
      const text = WORDS.get(word) ?? "";
      add(text);
      if (text === "\n" && !group.isAside && !group.isHidden) endLine();
    } else if (sign === "*") group.isAside ||= isStart;
    else if (sign !== undefined) put(SIGNS.get(sign) ?? sign);
    else if (token[0] === "{") {
      skip = 0;
      outer.push({ ...group });
    } else if (token[0] === "}") {
      skip = 0;
      group = outer.pop() ?? { ...BODY };
    }
    isStart = token[0] === "{";
  }
  put(source.slice(at));
  endLine();
  return [...pieces, ...asides].join("");
}

/** No charset needs more bytes per character. A larger number would hide text that other readers show. */
const MAX_FALLBACKS = 4;
const WINDOWS = new TextDecoder("windows-1252");
/** Words that hide text up to the same word with the number 0: hidden and deleted text. */
const HIDING = new Set(["v", "webhidden", "deleted"]);
/** Groups beside the text that `\*` does not mark. */
const ASIDES = new Set([
  ...["fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "fldinst", "footnote"],
  ...["header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"],
  ...["annotation", "atnid", "atnauthor", "bkmkstart", "bkmkend", "xe", "tc", "rxe", "shptxt"],
]);
const WORDS = new Map([
  ...["par", "line", "row", "page", "sect"].map((word) => [word, "\n"] as const),
  ...["column", "softline", "softpage", "softcol", "nestrow"].map((word) => [word, "\n"] as const),
  ...["tab", "cell", "nestcell"].map((word) => [word, "\t"] as const),
  ...["enspace", "emspace", "qmspace"].map((word) => [word, " "] as const),
  ...["emdash", "endash"].map((word) => [word, "-"] as const),
]);
const SIGNS = new Map([
  ["~", "\u00a0"],
  ["-", ""],
  ["_", "-"],
  ["\n", "\n"],
  ["\r", "\n"],
]);
