/** Finds phone numbers by numbering plan, by formatting, or by a clue word nearby. */
import { createOpenTest } from "../../lib/text/open-pattern.ts";
import type { ClueScope } from "./entity-format.ts";
import { isInternationalNumber } from "./is-international-number.ts";

/** Phone number at an offset, before its context is considered. */
export interface PhoneCandidate {
  start: number;
  /** Includes an extension. */
  end: number;
  /** 0 if it needs a clue. */
  confidence: number;
  clueScope: ClueScope;
  isSpanish: boolean;
}

/** Returns the phone number whose first digit is at `at`. */
export function findPhoneAt(
  text: string,
  at: number,
  hasClue: boolean,
): PhoneCandidate | undefined {
  const start = findStart(text, at);
  if (isAttached(text, start)) return undefined;
  const number =
    text.charCodeAt(start) === PLUS
      ? readInternational(text, start)
      : (readAmerican(text, start) ?? readNational(text, start, hasClue));
  if (!number || (number.confidence === 0 && !hasClue)) return undefined;
  const digits = text.slice(start, number.end).replace(/[^\d+]/g, "");
  return {
    start,
    end: Math.max(number.end, matchEnd(EXTENSION, text, number.end)),
    confidence: number.confidence,
    clueScope: number.isAmbiguous === true ? "linked" : "near",
    isSpanish: SPANISH.test(digits),
  };
}

/** Returns whether digits in the format of a phone number are one that a numbering plan can contain. */
export const isPlannedPhone = (digitGroups: string) =>
  AMERICAN_PLAN.test(keepDigits(digitGroups)) || LOCAL.test(digitGroups);

/** Returns where a phone number at `at` starts and may end, and whether more text could complete or change it. */
export function findOpenPhone(
  text: string,
  at: number,
): { start: number; ends: number[]; isOpen: boolean } {
  const start = findStart(text, at);
  const ends = PATTERNS.map((pattern) => matchEnd(pattern, text, start)).filter((end) => end >= 0);
  const isOpen =
    OPEN_TESTS.some((test) => test(text, start)) || ends.some((end) => isOpenAfter(text, end));
  return { start, ends, isOpen };
}

interface MatchedNumber {
  end: number;
  /** 0 if it needs a clue. */
  confidence: number;
  /** True if the clue must be linked to the number. */
  isAmbiguous?: boolean;
}

const PLUS = 0x2b;
const BRACKET = 0x28;
const ZERO = 0x30;
const SPACE = 0x20;

/** Includes a preceding parenthesis or plus sign. */
function findStart(text: string, at: number): number {
  const hasArea = text.charCodeAt(at - 1) === BRACKET && matchEnd(AREA, text, at - 1) > 0;
  const bracket = hasArea ? at - 1 : at;
  return text.charCodeAt(bracket - 1) === PLUS ? bracket - 1 : bracket;
}

/** Detects a number that is part of a word, a sum or a price. */
const isAttached = (text: string, start: number) =>
  start > 0 && text.charCodeAt(start - 1) !== SPACE && ATTACHED.test(text.charAt(start - 1));

const ATTACHED = /[0-9A-Za-z_+$€£]/;

const AREA = /\(\d{1,5}\)/y;
const INTERNATIONAL =
  /\+(?:\(\d{1,5}\)|\d{1,15})(?:[ ./-]{0,2}\(\d{1,5}\)|(?:[ ./-]{1,2}|(?<=\)))\d{1,8}){0,7}/y;

function readInternational(text: string, start: number): MatchedNumber | undefined {
  const longest = matchEnd(INTERNATIONAL, text, start);
  if (continues(text, longest)) return undefined;
  // Retries without the last groups, which may belong to another number.
  for (let end = longest, tries = 0; end > start && tries < 4; tries++) {
    const digitGroups = text.slice(start, end);
    if (isInternationalNumber(keepDigits(digitGroups.replace("(0)", ""))))
      return { end, confidence: 0.95 };
    const lastGroup = LAST_GROUP.exec(digitGroups);
    if (!lastGroup) break;
    end = start + lastGroup.index;
  }
  const digitGroups = text.slice(start, longest);
  const digits = keepDigits(digitGroups).length;
  if (digits < 8 || digits > 15) return undefined;
  return { end: longest, confidence: GROUPED.test(digitGroups) ? 0.6 : 0 };
}

const LAST_GROUP = /[ ./-]{1,2}\(?\d{1,8}\)?$/;
const GROUPED = /\d[ ()./-]{1,2}\d{2,8}[ ()./-]{1,2}\d{2}/;

/** Excludes a dot followed by a dash: `252.227-7013` is a clause. */
const AMERICAN =
  /(?:(?:00)?1[ .-])?(?:\(\d{3}\)[ .-]?|(?!\d{3}\.\d{3}-)\d{3}[ .-])\d{3}[ .-]\d{4}/y;
/** Neither area code nor exchange starts with 0 or 1 or is a service such as 911. */
const AMERICAN_PLAN = /^(?:0?0?1)?(?!.11)[2-9]\d{2}(?!.11)[2-9]\d{6}$/;

function readAmerican(text: string, start: number): MatchedNumber | undefined {
  const end = matchEnd(AMERICAN, text, start);
  if (end < 0 || continues(text, end)) return undefined;
  const digitGroups = text.slice(start, end);
  // Three groups separated by spaces among other numbers are not a phone number.
  const isPunctuated = /[-.(]/.test(digitGroups);
  if (!isPunctuated && isAmongNumbers(text, start, end)) return undefined;
  if (AMERICAN_PLAN.test(keepDigits(digitGroups)))
    return { end, confidence: isPunctuated ? 0.8 : 0.5 };
  return isPunctuated ? { end, confidence: 0.6 } : undefined;
}

/** Groups of digits with one separator between them. */
const NATIONAL = /(?:\(\d{1,5}\)|\d{1,15})(?:[ ./-]?\(\d{1,5}\)|(?:[ ./-]|(?<=\)))\d{1,8}){0,6}/y;
/** With a trunk prefix 0, or the area code in parentheses. Excludes pairs and groups of four, which are bytes. */
const LOCAL =
  /^(?!\d\d(?: \d\d){3}$|\d{4}(?: \d{4}){2}$)0[1-9]\d{0,3}(?:[ ./-]\d{6,8}|(?:[ ./-]\d{2,4}){2,4})$|^\(\d{2,5}\) ?\d{3,5}(?:[ -]\d{3,4})$/;
/** Dates, year ranges and IPv4 addresses. */
const DATE =
  /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})(?: |$)|^(?:19|20)\d{2}[-/](?:19|20)\d{2}$|^\d{1,3}(?:\.\d{1,3}){3}$/;

function readNational(text: string, start: number, hasClue: boolean): MatchedNumber | undefined {
  const first = text.charCodeAt(start);
  if (!hasClue && first !== ZERO && first !== BRACKET) return undefined;
  const end = matchEnd(NATIONAL, text, start);
  if (end < 0 || continues(text, end)) return undefined;
  const digitGroups = text.slice(start, end);
  const digits = keepDigits(digitGroups).length;
  if (digits < 7 || digits > 15 || DATE.test(digitGroups)) return undefined;
  const isFormatted =
    digits >= 8 && digits <= 12 && LOCAL.test(digitGroups) && !isAmongNumbers(text, start, end);
  return { end, confidence: isFormatted ? 0.55 : 0, isAmbiguous: !isFormatted };
}

/** Detects a sequence of numbers, such as a byte dump. */
const isAmongNumbers = (text: string, start: number, end: number) =>
  /\d $/.test(text.slice(Math.max(0, start - 2), start)) || /^ \d/.test(text.slice(end, end + 2));

const SPANISH = /^(?:\+34|0034)?[6-9]\d{8}$/;
const EXTENSION = / ?(?:x|ext\.?) ?\d{1,6}(?![0-9A-Za-z])/y;

const PATTERNS = [INTERNATIONAL, AMERICAN, NATIONAL];
const OPEN_TESTS = PATTERNS.map(createOpenTest);
/** An extension, or what `continues` and `isAmongNumbers` look for. */
const isOpenAfter = createOpenTest(
  / ?(?:x|ext\.?) ?\d{1,6}(?![0-9A-Za-z])|[ ./-]\d|:[0-5]\d(?!\d)/,
);

const keepDigits = (text: string) => text.replace(/\D/g, "");

/** Detects that letters or digits follow directly, so that it is part of a longer value, or of a time: `05 2023 02:36`. */
const continues = (text: string, end: number) =>
  /^(?:[0-9A-Za-z_@]|[-./]\d|:[0-5]\d(?!\d))/.test(text.slice(end, end + 4)) &&
  matchEnd(EXTENSION, text, end) < 0;

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}
