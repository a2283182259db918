/** Collects the text of an RTF document, with all its groups, also hidden ones, and the files in it. */
import { viewBytes } from "../view-bytes.ts";
import { createRtfDecoder } from "./rtf-decoder.ts";
import type { TimeSlicer } from "./time-slicer.ts";

export interface WalkedRtf {
  text: string;
  files: RtfFile[];
  has_unknown_letters: boolean;
}

/** An object or picture. Its data is in hex digits, or in bytes after `\bin`. */
export interface RtfFile {
  is_picture: boolean;
  hex: string[];
  raw: string[];
}

/** A control word with its number, an escaped byte, another control symbol, a brace or a line end. */
const TOKEN = /\\(?:([a-zA-Z]{1,32})(-?\d{1,10})? ?|'([\da-fA-F]{2})|([\s\S]))|[{}]|[\r\n]+/g;

/** State of a group, which its end restores. */
interface Group {
  /** Number of fallback bytes after each `\u`, for readers without Unicode. Set by `\uc`. */
  fallbacks: number;
  /** Its text is beside the text around it, such as a note or a bookmark. */
  isAside: boolean;
  /** Its text is marked as hidden or deleted. */
  isHidden: boolean;
  /** Undefined: the default one. */
  font: number | undefined;
  /** The file whose data the group contains. */
  file: RtfFile | undefined;
}

const BODY: Group = {
  fallbacks: 1,
  isAside: false,
  isHidden: false,
  font: undefined,
  file: undefined,
};

/**
 * Lines that contain hidden text follow once more without it: it may part a number. Lines that other readers decode in
 * another code page follow once more in that one.
 */
export async function walkRtf(bytes: Uint8Array, slicer: TimeSlicer): Promise<WalkedRtf> {
  const source = viewBytes(bytes).toString("latin1");
  const decoder = createRtfDecoder(bytes);
  const files: RtfFile[] = [];
  const pieces: string[] = [];
  /** The visible pieces of the current line, and the same as other readers decode them. */
  let [shown, others]: [string[], string[]] = [[], []];
  let [isWhole, isUnambiguous] = [true, true];
  const asides: string[] = [];
  let at = 0;
  let group = { ...BODY };
  const outer: Group[] = [];
  /** The group has no text or control word yet, so that the next one may declare what it is. */
  let isStart = false;
  /** Fallback bytes that remain to be skipped. */
  let skip = 0;
  /** Bytes that are not decoded yet: several of them may be one letter. */
  let pending = "";
  const add = (text: string, other = text) => {
    if (text === "") return;
    pieces.push(text);
    if (group.isAside || group.isHidden) {
      isWhole = false;
      return;
    }
    shown.push(text);
    others.push(other);
    isUnambiguous &&= text === other;
  };
  const endLine = () => {
    if (!isWhole) asides.push("\n", shown.join(""));
    if (!isUnambiguous) asides.push("\n", others.join(""));
    [shown, others, isWhole, isUnambiguous] = [[], [], true, true];
  };
  const dropFallback = (text: string): string => {
    const left = text.slice(skip);
    skip = Math.max(0, skip - text.length);
    return left;
  };
  const put = (text: string) => {
    if (group.file && HEX.test(text)) group.file.hex.push(text.replace(/\s+/g, ""));
    else pending += dropFallback(text);
  };
  const flush = () => {
    if (pending !== "") add(...decoder.decode(pending, group.font));
    pending = "";
  };
  const applyWord = (word: string, number: string | undefined) => {
    skip = 0;
    const value = Number(number ?? 0);
    if (HIDING.has(word)) group.isHidden = number !== "0";
    else if (word === "plain") group = { ...group, isHidden: false, font: undefined };
    else if (word === "f") group.font = value;
    else if (FILES.has(word)) {
      group.file = { is_picture: word === "pict", hex: [], raw: [] };
      files.push(group.file);
    } else decoder.declare(word, value, group.font);
    if (isStart && ASIDES.has(word)) group.isAside = true;
    const text = WORDS.get(word) ?? "";
    add(text);
    if (text === "\n" && !group.isAside && !group.isHidden) endLine();
  };
  const tokens = new RegExp(TOKEN);
  for (let token = tokens.exec(source); token; token = tokens.exec(source)) {
    if (slicer.isDue()) await slicer.yield();
    if (token.index > at) put(source.slice(at, token.index));
    isStart &&= token.index === at;
    at = tokens.lastIndex;
    const [mark, word, number, hex, sign] = token;
    if (hex !== undefined) pending += dropFallback(String.fromCharCode(Number.parseInt(hex, 16)));
    else if (word === "u") {
      flush();
      add(String.fromCharCode(Number(number) & 0xffff));
      skip = group.fallbacks;
    } else if (word === "uc") {
      skip = 0;
      group.fallbacks = Math.min(Math.max(0, Number(number ?? 1)), MAX_FALLBACKS);
    } else if (word === "bin" && group.file) {
      tokens.lastIndex = Math.min(source.length, at + Math.max(0, Number(number ?? 0)));
      group.file.raw.push(source.slice(at, tokens.lastIndex));
      at = tokens.lastIndex;
    } else if (word !== undefined) {
      flush();
      applyWord(word, number);
    } else if (sign === "*") {
      if (isStart) group = { ...group, isAside: true, file: undefined };
    } else if (sign !== undefined) {
      const text = SIGNS.get(sign);
      if (text === undefined) pending += dropFallback(sign);
      else {
        flush();
        add(dropFallback(text));
      }
    } else if (mark === "{" || mark === "}") {
      flush();
      skip = 0;
      if (mark === "{") outer.push({ ...group });
      else group = outer.pop() ?? { ...BODY };
    }
    isStart = mark === "{";
  }
  put(source.slice(at));
  flush();
  endLine();
  const text = [...pieces, ...asides].join("");
  return { text, files, has_unknown_letters: decoder.hasUnknownLetters() };
}

const HEX = /^[\da-fA-F\s]*$/;
/** Words after which a group contains the data of a file. */
const FILES = new Set(["objdata", "pict"]);
/** No charset needs more bytes per character. A larger number would hide text that other readers show. */
const MAX_FALLBACKS = 4;
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
