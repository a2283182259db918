/** Collects the text of an RTF document, with all its groups, also hidden ones, and the files in it. */
import { viewBytes } from "../view-bytes.ts";
import { createRtfDecoder } from "./rtf-decoder.ts";
import { RTF_DESTINATIONS } from "./rtf-destinations.ts";
import {
  enterGroup,
  openBody,
  openChoice,
  openDestination,
  type RtfStream,
} from "./rtf-streams.ts";
import { createRtfText } from "./rtf-text.ts";
import type { TimeSlicer } from "./time-slicer.ts";

export interface WalkedRtf {
  text: string;
  files: RtfFile[];
  has_unknown_letters: boolean;
  /** Readers disagree about the text in too many ways. */
  is_ambiguous: boolean;
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
  /** Fallback bytes that remain. Some readers skip them also after a group. */
  left: number;
  stream: RtfStream;
  /** The stream around text that is marked as hidden or deleted; undefined for other text. */
  visible: RtfStream | undefined;
  isInTable: boolean;
  /** Undefined: the default one. */
  font: number | undefined;
  /** The file whose data the group contains. */
  file: RtfFile | undefined;
}

/** Reads text both ways where readers differ. `maxLength`: of the text that is read completely. */
export async function walkRtf(
  bytes: Uint8Array,
  maxLength: number,
  slicer: TimeSlicer,
): Promise<WalkedRtf> {
  const source = viewBytes(bytes).toString("latin1");
  const decoder = createRtfDecoder(bytes);
  const output = createRtfText(maxLength);
  const files: RtfFile[] = [];
  /** Bytes after `\bin` outside of a file. */
  const loose: RtfFile = { is_picture: false, hex: [], raw: [] };
  let at = 0;
  const body = openBody();
  let group = openGroup(body);
  const outer: Group[] = [];
  /** The next control word declares a destination. */
  let isStarred = false;
  /** Nothing of the group is before the next token. */
  let isFirst = true;
  /** Fallback bytes that every reader skips. */
  let sure = 0;
  /** Bytes that are not decoded yet: several of them may be one letter. */
  let pending = "";
  /** Some readers skip the pending bytes. */
  let isDoubtful = false;
  const flush = () => {
    if (pending === "") return;
    const [text, other] = decoder.decode(pending, group.font);
    pending = "";
    output.add(group, text, isDoubtful ? "" : other);
  };
  const addBytes = (letters: string, areDoubtful: boolean) => {
    if (letters === "") return;
    if (areDoubtful !== isDoubtful) flush();
    isDoubtful = areDoubtful;
    pending += letters;
  };
  const takeFallback = (count: number) => {
    group.left = Math.max(0, group.left - count);
    sure = Math.max(0, sure - count);
  };
  const putBytes = (letters: string) => {
    addBytes(letters.slice(sure, group.left), true);
    addBytes(letters.slice(group.left), false);
    takeFallback(letters.length);
  };
  const put = (text: string) => {
    if (group.file && HEX.test(text)) group.file.hex.push(text.replace(/\s+/g, ""));
    else putBytes(text);
  };
  /** Adds the text of a control word or symbol, which counts as one byte of a fallback. */
  const addControl = (text: string, other = text) => {
    flush();
    if (sure === 0) {
      output.add(group, text, group.left > 0 ? "" : other);
      if (other === "\n" && group.left === 0) output.endLine(group.stream);
    }
    takeFallback(1);
  };
  const endStream = (stream: RtfStream | undefined) => {
    if (stream?.depth === outer.length) output.endLine(stream);
  };
  const hide = (word: string) => {
    if (group.visible) return;
    group.visible = group.stream;
    group.stream = openChoice(outer.length, word, group.stream);
  };
  const show = () => {
    if (!group.visible) return;
    endStream(group.stream);
    group.stream = group.visible;
    group.visible = undefined;
  };
  /** Ends the hidden text and the destinations that this group contains. */
  const endStreams = () => {
    show();
    const { stream } = group;
    endStream(stream);
    endStream(stream.page);
  };
  const enterDestination = (word: string) => {
    const stream = openDestination(outer.length, word, group.stream, { isStarred, isFirst });
    isStarred = false;
    show();
    if (group.stream !== stream.page) endStream(group.stream);
    group.stream = stream;
    group.file = undefined;
  };
  /** Begins text after a star that no control word follows. */
  const endStar = () => {
    if (!isStarred) return;
    flush();
    enterDestination("*");
  };
  const applyWord = (word: string, number: string | undefined) => {
    const value = Number(number ?? 0);
    if (isStarred || RTF_DESTINATIONS.has(word)) enterDestination(word);
    sure = 0;
    if (HIDING.has(word)) {
      if (number === "0") show();
      else hide(word);
    } else if (word === "plain") {
      group.font = undefined;
      show();
    } else if (word === "f") group.font = value;
    else if (word === "uc") group.fallbacks = Math.max(0, Number(number ?? 1));
    else if (FILES.has(word)) {
      group.file = { is_picture: word === "pict", hex: [], raw: [] };
      files.push(group.file);
    } else if (word === "bin") {
      tokens.lastIndex = Math.min(source.length, at + Math.max(0, value));
      (group.file ?? loose).raw.push(source.slice(at, tokens.lastIndex));
      at = tokens.lastIndex;
    } else if (word === "intbl" || word === "trowd") group.isInTable = true;
    else if (word === "pard") group.isInTable = false;
    else decoder.declare(word, value, group.font);
    const text = WORDS.get(word);
    if (text === undefined) return addControl("");
    const mayBeLost = DOUBTFUL.has(word) || (CELLS.has(word) && !group.isInTable);
    addControl(text, mayBeLost ? "" : (DASHES.get(word) ?? text));
  };
  const tokens = new RegExp(TOKEN);
  for (let token = tokens.exec(source); token; token = tokens.exec(source)) {
    if (slicer.isDue()) await slicer.yield();
    if (token.index > at) {
      endStar();
      put(source.slice(at, token.index));
      isFirst = false;
    }
    at = tokens.lastIndex;
    const [mark, word, number, hex, sign] = token;
    if (mark < " ") continue;
    if (word === undefined || word === "u") endStar();
    if (hex !== undefined) {
      const byte = Number.parseInt(hex, 16);
      const isIndex = byte < 0x20 && LEVELS.has(group.stream.word);
      if (!isIndex) putBytes(String.fromCharCode(byte));
    } else if (word === "u") {
      flush();
      const letter = decoder.toLetter(Number(number));
      output.add(group, letter, letter);
      group.left = group.fallbacks;
      sure = Math.min(group.left, MAX_FALLBACKS);
    } else if (word !== undefined) {
      flush();
      applyWord(word, number);
    } else if (sign === "*") isStarred = true;
    else if (sign !== undefined) {
      if (ESCAPED.has(sign)) putBytes(sign);
      else addControl(SIGNS.get(sign) ?? sign, SIGNS.get(sign) ?? "");
    } else if (mark === "{") {
      flush();
      sure = 0;
      outer.push(group);
      group = { ...group };
      group.stream = enterGroup(outer.length, group.stream, group.left > 0);
      group.left = 0;
    } else if (mark === "}") {
      flush();
      sure = 0;
      endStreams();
      group = outer.pop() ?? openGroup(body);
    }
    isFirst = mark === "{" || (isFirst && sign === "*");
  }
  endStar();
  put(source.slice(at));
  flush();
  for (let open: Group | undefined = group; open; open = outer.pop()) {
    if (slicer.isDue()) await slicer.yield();
    group = open;
    endStreams();
  }
  output.endLine(body);
  if (loose.raw.length > 0) files.push({ ...loose, raw: [LOOSE_START, loose.raw.join(LOOSE_END)] });
  return {
    text: output.join(),
    files,
    has_unknown_letters: decoder.hasUnknownLetters(),
    is_ambiguous: output.isAmbiguous(),
  };
}

const openGroup = (stream: RtfStream): Group => ({
  fallbacks: 1,
  left: 0,
  stream,
  visible: undefined,
  isInTable: false,
  font: undefined,
  file: undefined,
});

const HEX = /^[\da-fA-F\s]*$/;
/** Words after which a group contains the data of a file. */
const FILES = new Set(["objdata", "pict"]);
/** Readers that do not know `\bin` read its bytes as RTF. */
const [LOOSE_START, LOOSE_END] = ["{\\rtf1 ", "\\par "];
/** No charset needs more bytes per character. Some readers skip more of them. */
const MAX_FALLBACKS = 4;
/** Words that hide text up to the same word with the number 0: hidden and deleted text. */
const HIDING = new Set(["v", "webhidden", "deleted"]);
/** Destinations with counts and indices among their text. */
const LEVELS = new Set(["leveltext", "levelnumbers"]);
const WORDS = new Map([
  ...["par", "line", "row", "page", "sect"].map((word) => [word, "\n"] as const),
  ...["column", "softline", "softpage", "softcol", "nestrow"].map((word) => [word, "\n"] as const),
  ...["tab", "cell", "nestcell"].map((word) => [word, "\t"] as const),
  ...["enspace", "emspace", "qmspace"].map((word) => [word, " "] as const),
  ...["emdash", "endash"].map((word) => [word, "-"] as const),
  ["lquote", "\u2018"],
  ["rquote", "\u2019"],
  ["ldblquote", "\u201c"],
  ["rdblquote", "\u201d"],
  ["bullet", "\u2022"],
]);
/** Breaks and spaces that some readers do not show. */
const DOUBTFUL = new Set([
  ...["page", "sect", "column", "softline", "softpage", "softcol"],
  ...["enspace", "emspace", "qmspace"],
]);
/** The same outside of tables. */
const CELLS = new Set(["cell", "nestcell", "row", "nestrow"]);
/** Readers show a dash. A hyphen may be part of a number, and a dash is not. */
const DASHES = new Map([
  ["emdash", "\u2014"],
  ["endash", "\u2013"],
]);
const SIGNS = new Map([
  ["~", "\u00a0"],
  ["-", ""],
  ["_", "-"],
  ["\n", "\n"],
  ["\r", "\n"],
]);
/** Signs that are text. Some readers show other signs, too. */
const ESCAPED = new Set(["\\", "{", "}"]);
