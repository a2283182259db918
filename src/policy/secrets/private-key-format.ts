/**
 * Format of a private key in PEM. Between its lines may be what tools add: indentation, quote signs, the signs of a diff,
 * line numbers, names of files, times.
 */
import { createOpenTest } from "../../lib/text/open-pattern.ts";
import type { SecretFormat } from "./secret-format.ts";

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
/** A run of base64, the END line, or the beginning of another BEGIN line. */
const TOKEN = /[A-Za-z0-9+/]{16,}={0,2}|-----END [A-Z0-9 ]{0,40}-----|-----BEGIN /g;
/** Longest token whose text up to its last character is no token. */
const MAX_PARTIAL_TOKEN = 54;

/** Most characters between the BEGIN line and the first line: headers. */
const MAX_HEADERS = 500;
/** Most characters between two lines, or between the last long one and the END line. */
const MAX_BREAK = 250;
/** Line breaks, escaped ones, or the concatenation of strings in code. The `n` of an escape is part of the next run. */
const PLAIN_BREAK = /^[\s\\nr"',+]{1,80}$/;
/** White space, numbers, and signs of comments. */
const BREAK_WITHOUT_WORDS = /^(?:[^A-Za-z]|\\[nrt]|\brem\b){1,80}$/i;

/** Not one pattern, which would take quadratic time. */
const RANDOM = [/[a-z]/, /[A-Z]/, /\d/];
/** From this length, letters in mixed case with digits are no identifier. */
const MIN_RANDOM = 32;
/** From this length, a run that follows no words is no identifier. */
const MIN_LINE = 40;

export const PRIVATE_KEY_FORMAT: SecretFormat = {
  label: "private_key",
  keywords: ["-----begin "],
  boundary: "anything",
  lookBehind: [0],
  pattern: BEGIN,
  findEnd: (text, from) => readLines(text, from).end,
  isOpen,
  min_entropy: 3,
  confidence: 0.95,
  generic: false,
};

const isBeginOpen = createOpenTest(BEGIN);

function isOpen(text: string, at: number): boolean {
  BEGIN.lastIndex = at;
  return BEGIN.test(text) ? readLines(text, BEGIN.lastIndex).isOpen : isBeginOpen(text, at);
}

/**
 * Reads the lines after a BEGIN line, and the END line if there is one. It stops at the next BEGIN line, so that text with
 * many of them takes linear time. The key is open if more text could add to it.
 */
function readLines(text: string, from: number): { end: number | undefined; isOpen: boolean } {
  let end: number | undefined;
  TOKEN.lastIndex = from;
  for (;;) {
    const limit = end === undefined ? from + MAX_HEADERS : end + MAX_BREAK;
    const token = TOKEN.exec(text);
    if (!token) return { end, isOpen: text.length <= limit + MAX_PARTIAL_TOKEN };
    const [run] = token;
    if (token.index > limit || run === "-----BEGIN ") return { end, isOpen: false };
    if (run.startsWith("-----END ")) return { end: end && TOKEN.lastIndex, isOpen: false };
    if (isLine(run, text.slice(end ?? from, token.index), end === undefined)) {
      end = TOKEN.lastIndex;
    }
    if (TOKEN.lastIndex === text.length) return { end, isOpen: true };
  }
}

/** Returns whether a run of base64 is a line of a key and no word, by the text before it. */
function isLine(run: string, before: string, isFirst: boolean): boolean {
  if (run.length >= MIN_RANDOM && RANDOM.every((kind) => kind.test(run))) return true;
  if (PLAIN_BREAK.test(before)) return true;
  return (!isFirst || run.length >= MIN_LINE) && BREAK_WITHOUT_WORDS.test(before);
}
