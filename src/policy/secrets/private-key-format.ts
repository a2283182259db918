/**
 * Format of a private key in PEM. Between its lines may be what tools add: indentation, quote signs, the signs of a diff,
 * line numbers, names of files, times.
 */
import { createOpenTest } from "../../lib/text/open-pattern.ts";
import type { TextSpan } from "../views/source-map.ts";
import { isPlaceholder } from "./is-placeholder.ts";
import type { SecretFormat } from "./secret-format.ts";

/** A form encodes spaces as plus signs. */
const BEGIN = /-----BEGIN[ +][A-Z0-9 +]{0,40}PRIVATE[ +]KEY(?:[ +]BLOCK)?-----/y;
/** A run of base64, the END line, the beginning of another BEGIN line, or of a header. */
const TOKEN =
  /[A-Za-z0-9+/]{16,}={0,2}|-----END[ +][A-Z0-9 +]{0,40}-----|-----BEGIN[ +]|(?:Proc-Type|DEK-Info|Version|Comment|Charset):/g;
/** Longest token whose text up to its last character is no token. */
const MAX_PARTIAL_TOKEN = 54;

/** Most characters between the BEGIN line, a header or a line, and the next line or the END line. */
const MAX_GAP = 500;
/** Characters after the BEGIN line in which headers may be. */
const MAX_HEADERS = 2000;
/** Line breaks, escaped ones, or the concatenation of strings in code. The `n` of an escape is part of the next run. */
const PLAIN_BREAK = /^[\s\\nr"',+]{0,80}$/;
/** White space, numbers, and signs of comments. */
const BREAK_WITHOUT_WORDS = /^(?:[^A-Za-z]|\\[nrt]|\brem\b){1,80}$/i;
/** Beginning of public keys, hashes and fingerprints, and the text before it. */
const PUBLIC = /(?:(?:ssh-\w{2,10}|nistp\d{3})\sAAAA|sha-?\d{1,3}\W{1,3}.{4})$/i;
const MAX_PUBLIC = 20;

/** First characters of keys in DER and of OpenSSH, after the signs of a diff or comment or the `n` of an escape. */
const KNOWN_START = /^[+/]*n?(?:M[A-P]|b3BlbnNza)/;

/** Keys that people type for a test, perhaps after the `n` of an escape. Words and hashes of commits are shorter. */
const ONE_CASE = /^n?(?:[a-z\d]{48,}|[A-Z\d]{48,})=*$/;
/** Longest key that is a placeholder. */
const MAX_PLACEHOLDER = 100;

/** Longest key that documentation abbreviates, and text after its first line that contains a sign of it. */
const MAX_ABBREVIATED = 50;
const MAX_SIGN = 80;
const ABBREVIATION = /\u2026|snip|truncated|omitted/i;
/** Keys of RSA and OpenSSH begin with what is public. */
const PUBLIC_START = /^n?(?:MII|b3Bl)/;
const MAX_PUBLIC_START = 100;

/** From this length, a run that follows words may be a line. */
const MIN_AFTER_WORDS = 32;
/** From this length, a run that follows no words may be the first line. */
const MIN_FIRST_LINE = 40;
/** From this length, base64 has letters in mixed case. Words, paths and hashes have not. */
const MIN_MIXED = 24;
/**
 * Part of the characters whose kind differs from that of the one before: 64 % in base64, with a standard deviation of 6 % in a
 * line, and at most 30 % in paths and identifiers.
 */
const MIN_CHANGES = 0.35;

export const PRIVATE_KEY_FORMAT: SecretFormat = {
  label: "private_key",
  keywords: ["-----begin"],
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
  let first: TextSpan | undefined;
  let length = 0;
  let end: number | undefined;
  let limit = from + MAX_GAP;
  const stop = (isOpen: boolean, at = text.length, last = end) => ({
    end: first && isExample(text.slice(0, at), first, length) ? undefined : last,
    isOpen,
  });
  TOKEN.lastIndex = from;
  for (;;) {
    const token = TOKEN.exec(text);
    if (!token) return stop(text.length <= limit + MAX_PARTIAL_TOKEN);
    const { 0: run, index } = token;
    const after = TOKEN.lastIndex;
    if (index > limit || /^-----BEGIN/.test(run)) return stop(false, index);
    if (run.startsWith("-----END")) return stop(false, index, end && after);
    if (run.endsWith(":")) limit = Math.max(limit, Math.min(after, from + MAX_HEADERS) + MAX_GAP);
    else if (first ? isNextLine(run, text.slice(end, index)) : isFirstLine(text, from, token)) {
      first ??= { start: index, end: after };
      length += run.length;
      end = after;
      limit = after + MAX_GAP;
    }
    if (after === text.length) return stop(true);
  }
}

function isExample(text: string, { start, end }: TextSpan, length: number): boolean {
  const first = text.slice(start, end);
  if (length <= MAX_PLACEHOLDER && isPlaceholder(first)) return true;
  const after = text.slice(end, end + MAX_SIGN);
  const max = PUBLIC_START.test(first) ? MAX_PUBLIC_START : MAX_ABBREVIATED;
  return length <= max && (isPlaceholder(after) || ABBREVIATION.test(after));
}

function isFirstLine(text: string, from: number, { 0: run, index }: RegExpExecArray): boolean {
  const before = text.slice(from, index);
  if (PLAIN_BREAK.test(before)) return isKeyLike(run) || ONE_CASE.test(run);
  if (!isKeyLike(run)) return false;
  return followsSigns(run, before) ? run.length >= MIN_FIRST_LINE : mayFollowWords(run, before);
}

function isNextLine(run: string, before: string): boolean {
  if (PLAIN_BREAK.test(before)) return !run.includes("/") || isKeyLike(run);
  return followsSigns(run, before) || (isKeyLike(run) && mayFollowWords(run, before));
}

const followsSigns = (run: string, before: string): boolean =>
  BREAK_WITHOUT_WORDS.test(before) && (run.length < MIN_MIXED || isMixed(run));

const mayFollowWords = (run: string, before: string): boolean =>
  run.length >= MIN_AFTER_WORDS &&
  isMixed(run) &&
  /\d/.test(run) &&
  !PUBLIC.test(before.slice(-MAX_PUBLIC) + run.slice(0, 4));

const isMixed = (run: string): boolean => /[a-z]/.test(run) && /[A-Z]/.test(run);

function isKeyLike(run: string): boolean {
  if (KNOWN_START.test(run)) return true;
  let changes = 0;
  for (let at = 1; at < run.length; at++) {
    if (kindOf(run.charCodeAt(at)) !== kindOf(run.charCodeAt(at - 1))) changes += 1;
  }
  return changes >= MIN_CHANGES * run.length;
}

const kindOf = (unit: number): "lower" | "upper" | "other" =>
  unit >= 0x61 ? "lower" : unit >= 0x41 ? "upper" : "other";
