/** Finds what is written in another alphabet inside a text: base64, hex, escapes, characters nobody sees. */
import { isTag, isVariationSelector } from "./invisible.ts";
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

/** Base64 and hex, their runs as lines; and the text with its escapes replaced in place. */
export function decodeRuns(text: string): readonly Decoding[] {
  return [...wordRuns(text), unescaped(text)].filter((decoding) => decoding !== undefined);
}

/** ASCII as tag characters, or bytes as variation selectors: text that only a machine sees. */
export function hiddenRuns(text: string): readonly Decoding[] {
  if (!/[^\0-\xff]/.test(text)) return [];
  return [hidden(text, "tags"), hidden(text, "variation_selectors")].filter(
    (decoding) => decoding !== undefined,
  );
}

/** Shorter runs are words and numbers. */
const SHORTEST_RUN = 16;
/** How base64 is wrapped in mail and PEM. A shorter line followed by a word is a line followed by a word. */
const SHORTEST_LINE = 60;

const BASE64 = 1;
const HEX = 2;
/** What words and paths are made of; no base64 of this length is all of it. */
const WORD = 4;
const CLASS = new Uint8Array(128);
for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_") {
  CLASS[letter.charCodeAt(0)] =
    BASE64 | (/[0-9a-f]/i.test(letter) ? HEX : 0) | (/[a-z/_-]/.test(letter) ? WORD : 0);
}
const classOf = (unit: number) => CLASS[unit] ?? 0;

function wordRuns(text: string): (Decoding | undefined)[] {
  const base64 = rewriter();
  const hex = rewriter();
  let at = 0;
  while (at + SHORTEST_RUN <= text.length) {
    // From its far end, so that ordinary words cost one look each.
    const gap = lastGap(text, at, at + SHORTEST_RUN);
    if (gap >= at) {
      at = gap + 1;
      continue;
    }
    const start = at;
    let shared = BASE64 | HEX | WORD;
    let line = at;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (classOf(unit) !== 0) shared &= classOf(unit);
      else if (unit === 0x0a && at - line >= SHORTEST_LINE) line = at + 1;
      else break;
    }
    if (shared & WORD) continue;
    if (shared & HEX) putDecoded(hex, text, { start, end: at, alphabet: "hex" });
    else putDecoded(base64, text, { start, end: at, alphabet: "base64" });
  }
  return [ended(base64, "base64"), ended(hex, "hex")];
}

/** The last place between `start` and `end` that is not of the alphabet; before `start`: there is none. */
function lastGap(text: string, start: number, end: number): number {
  let at = end - 1;
  while (at >= start && classOf(text.charCodeAt(at)) !== 0) at--;
  return at;
}

type Run = { start: number; end: number; alphabet: "base64" | "hex" };

function putDecoded(out: Rewriter, text: string, run: Run): void {
  // A look at the start settles it for nearly every long word.
  const head = Buffer.from(text.slice(run.start, run.start + SHORTEST_RUN), run.alphabet);
  if (!isText(head) && !isWideText(head)) return;
  const bytes = Buffer.from(text.slice(run.start, run.end), run.alphabet);
  const decoded = isWideText(bytes) ? bytes.toString("utf16le") : asText(bytes);
  if (decoded !== undefined) out.put(`${decoded}\n`, run.start, run.end);
}

/** Anything but control characters; whether bytes beyond ASCII are UTF-8 is seen when they are decoded. */
function isText(bytes: Uint8Array): boolean {
  return bytes.every((byte) =>
    byte >= 0x20 ? byte !== 0x7f : byte === 9 || byte === 10 || byte === 13,
  );
}

/** UTF-16 of ASCII, as PowerShell takes its encoded commands. */
function isWideText(bytes: Uint8Array): boolean {
  return bytes.every((byte, index) => (index % 2 === 1 ? byte === 0 : byte >= 9 && byte < 0x7f));
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

function asText(bytes: Uint8Array): string | undefined {
  if (!isText(bytes)) return undefined;
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

const ESCAPE =
  /(?:%[\da-f]{2})+|%u[\da-f]{4}|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,7});?|\\(?:u[\da-f]{4}|u\{[\da-f]{1,6}\}|x[\da-f]{2})/gi;
const NAMED = new Map(
  Object.entries({
    lt: "<",
    gt: ">",
    amp: "&",
    quot: '"',
    apos: "'",
    nbsp: " ",
    tab: "\t",
    newline: "\n",
    colon: ":",
    semi: ";",
    lpar: "(",
    rpar: ")",
    sol: "/",
    bsol: "\\",
    equals: "=",
    grave: "`",
    dollar: "$",
    lbrace: "{",
    rbrace: "}",
  }),
);

function unescaped(text: string): Decoding | undefined {
  if (!text.includes("%") && !text.includes("&") && !text.includes("\\")) return undefined;
  const out = rewriter();
  let how: Encoding | undefined;
  let done = 0;
  for (const { 0: written, index } of text.matchAll(ESCAPE)) {
    const kind = written.startsWith("%")
      ? "percent"
      : written.startsWith("&")
        ? "html"
        : "unicode_escape";
    const meant =
      kind === "percent" && written.charAt(1) !== "u" ? percent(written) : character(written);
    if (meant === undefined) continue;
    how ??= kind;
    putBetween(out, text, { start: done, end: index, first: done === 0, last: false });
    done = index + written.length;
    // Character by character where each escape is one; a run of UTF-8 bytes maps whole.
    if (kind === "percent" && meant.length * 3 === written.length) {
      for (let at = 0; at < meant.length; at++) {
        out.put(meant.charAt(at), index + at * 3, index + at * 3 + 3);
      }
    } else out.put(meant, index, done);
  }
  if (how === undefined) return undefined;
  putBetween(out, text, { start: done, end: text.length, first: false, last: true });
  return { ...out.done(), how };
}

/** What stands far from any escape is read in the text itself; only the near of it is repeated here. */
function putBetween(out: Rewriter, text: string, between: Between): void {
  const { start, end } = between;
  const head = between.first ? start : Math.min(end, start + NEAR);
  const tail = between.last ? end : Math.max(head, end - NEAR);
  out.put(text.slice(start, head), start, head);
  if (tail > head) out.put("\n", head, head);
  out.put(text.slice(tail, end), tail, end);
}

type Between = { start: number; end: number; first: boolean; last: boolean };

const NEAR = 512;

function percent(run: string): string {
  const bytes = Buffer.from(run.replaceAll("%", ""), "hex");
  try {
    return UTF8.decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}

/** undefined: it is no escape after all, as in `AT&T` or `&copy`. */
function character(written: string): string | undefined {
  const digits = /^(?:%u|&#x|\\u\{|\\u|\\x)([\da-f]+)/i.exec(written)?.[1];
  const decimal = /^&#(\d+)/.exec(written)?.[1];
  if (digits === undefined && decimal === undefined) {
    return NAMED.get(written.slice(1).replace(";", "").toLowerCase());
  }
  const point = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}

function hidden(text: string, how: "tags" | "variation_selectors"): Decoding | undefined {
  const out = rewriter();
  const belongs = how === "tags" ? isTag : isVariationSelector;
  const runs =
    how === "tags" ? /[\u{e0000}-\u{e007f}]{2,}/gu : /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4,}/gu;
  for (const { 0: run, index } of text.matchAll(runs)) {
    // A flag of a region, such as Scotland's, is a black flag followed by tags.
    if (how === "tags" && text.slice(index - 2, index) === "\u{1f3f4}") continue;
    const points = Array.from(run, (letter) => letter.codePointAt(0) ?? 0).filter(belongs);
    const decoded =
      how === "tags" ? fromTags(points) : asText(Uint8Array.from(points, selectorByte));
    if (decoded) out.put(`${decoded}\n`, index, index + run.length);
  }
  return ended(out, how);
}

const fromTags = (points: readonly number[]) =>
  points
    .map((point) => point - 0xe0000)
    .filter((ascii) => ascii >= 0x20 && ascii < 0x7f)
    .map((ascii) => String.fromCharCode(ascii))
    .join("");

const selectorByte = (point: number) => (point < 0xe0000 ? point - 0xfe00 : point - 0xe0100 + 16);

function ended(out: Rewriter, how: Encoding): Decoding | undefined {
  const map = out.done();
  return map.text === "" ? undefined : { ...map, how };
}
