/** Phone numbers: what a numbering plan confirms, what is written as only they are, what a word nearby tells. */
import type { EntityHit } from "./entities.ts";
import { isInternationalNumber } from "./is-international-number.ts";

/** The number that starts with the digits at `at`; a Spanish one is of two kinds at once. */
export function findPhonesAt(
  text: string,
  at: number,
  isNear: HasPhoneClue | undefined,
): EntityHit[] {
  const start = findStart(text, at);
  if (isAttached(text, start)) return NO_HITS;
  const found =
    text.charCodeAt(start) === PLUS
      ? readInternational(text, start)
      : (readAmerican(text, start) ?? readNational(text, start, isNear !== undefined));
  if (!found) return NO_HITS;

  const said = isNear?.(found.end, found.unmarked === true);
  const confidence = said ? Math.max(found.confidence, 0.75) : found.confidence;
  if (confidence === 0) return NO_HITS;
  const end = Math.max(found.end, matchEnd(EXTENSION, text, found.end));
  const hit: EntityHit = { entity: "phone_number", start, end, confidence };
  const digits = text.slice(start, found.end).replace(/[^\d+]/g, "");
  return SPANISH.test(digits) ? [{ ...hit, entity: "spanish_phone" }, hit] : [hit];
}

/** Whether a word near the number that ends there says that it is one (nearby.ts). */
type HasPhoneClue = (end: number, unmarked: boolean) => boolean;

interface PhoneCandidate {
  end: number;
  /** 0: only a word nearby can tell. */
  confidence: number;
  /** Digits that could be anything. */
  unmarked?: boolean;
}

const NO_HITS: EntityHit[] = [];
const PLUS = 0x2b;
const BRACKET = 0x28;
const ZERO = 0x30;

/** A bracket or plus sign in front is part of the number. */
function findStart(text: string, at: number): number {
  const bracket = matchEnd(AREA, text, at - 1) > 0 ? at - 1 : at;
  return text.charCodeAt(bracket - 1) === PLUS ? bracket - 1 : bracket;
}

/** Part of something longer, or of a sum, or a price. */
const isAttached = (text: string, start: number) =>
  start > 0 && /[0-9A-Za-z_+$€£]/.test(text.charAt(start - 1));

const AREA = /\(\d{1,5}\)/y;
const INTERNATIONAL =
  /\+(?:\(\d{1,5}\)|\d{1,15})(?:[ ./-]{0,2}\(\d{1,5}\)|(?:[ ./-]{1,2}|(?<=\)))\d{1,8}){0,7}/y;

function readInternational(text: string, start: number): PhoneCandidate | undefined {
  const longest = matchEnd(INTERNATIONAL, text, start);
  if (continues(text, longest)) return undefined;
  // What follows a number, such as another one, reads like a group of it: tried again without the last ones.
  for (let end = longest, tries = 0; end > start && tries < 4; tries++) {
    const written = text.slice(start, end);
    if (isInternationalNumber(keepDigits(written.replace("(0)", ""))))
      return { end, confidence: 0.95 };
    const lastGroup = LAST_GROUP.exec(written);
    if (!lastGroup) break;
    end = start + lastGroup.index;
  }
  const written = text.slice(start, longest);
  const digits = keepDigits(written).length;
  if (digits < 8 || digits > 15) return undefined;
  return { end: longest, confidence: GROUPED.test(written) ? 0.6 : 0 };
}

const LAST_GROUP = /[ ./-]{1,2}\(?\d{1,8}\)?$/;
const GROUPED = /\d[ ()./-]{1,2}\d{2,8}[ ()./-]{1,2}\d{2}/;

/** Nobody writes a point and then a dash: `252.227-7013` is a clause. */
const AMERICAN =
  /(?:(?:00)?1[ .-])?(?:\(\d{3}\)[ .-]?|(?!\d{3}\.\d{3}-)\d{3}[ .-])\d{3}[ .-]\d{4}/y;
/** Neither area nor exchange starts with 0 or 1, or is a service such as 911. */
const AMERICAN_PLAN = /^(?:0?0?1)?(?!.11)[2-9]\d{2}(?!.11)[2-9]\d{6}$/;

function readAmerican(text: string, start: number): PhoneCandidate | undefined {
  const end = matchEnd(AMERICAN, text, start);
  if (end < 0 || continues(text, end)) return undefined;
  const written = text.slice(start, end);
  // With spaces alone they may be three numbers, and among others they are.
  const signed = /[-.(]/.test(written);
  if (!signed && isAmongNumbers(text, start, end)) return undefined;
  if (AMERICAN_PLAN.test(keepDigits(written))) return { end, confidence: signed ? 0.8 : 0.5 };
  return signed ? { end, confidence: 0.6 } : undefined;
}

/** Groups of digits with one sign between them. */
const NATIONAL = /(?:\(\d{1,5}\)|\d{1,15})(?:[ ./-]?\(\d{1,5}\)|(?:[ ./-]|(?<=\)))\d{1,8}){0,6}/y;
/** With the zero that most countries dial first within them, or the area in brackets. Pairs and fours are bytes. */
const LOCAL =
  /^(?!\d\d(?: \d\d){3}$|\d{4}(?: \d{4}){2}$)0[1-9]\d{0,3}(?:[ ./-]\d{6,8}|(?:[ ./-]\d{2,4}){2,4})$|^\(\d{2,5}\) ?\d{3,5}(?:[ -]\d{3,4})$/;
/** Or two years, or the address of a machine. */
const DATE =
  /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})(?: |$)|^(?:19|20)\d{2}[-/](?:19|20)\d{2}$|^\d{1,3}(?:\.\d{1,3}){3}$/;

function readNational(text: string, start: number, hasClue: boolean): PhoneCandidate | undefined {
  const first = text.charCodeAt(start);
  if (!hasClue && first !== ZERO && first !== BRACKET) return undefined;
  const end = matchEnd(NATIONAL, text, start);
  if (end < 0 || continues(text, end)) return undefined;
  const written = text.slice(start, end);
  const digits = keepDigits(written).length;
  if (digits < 7 || digits > 15 || DATE.test(written)) return undefined;
  const formatted =
    digits >= 8 && digits <= 12 && LOCAL.test(written) && !isAmongNumbers(text, start, end);
  return { end, confidence: formatted ? 0.55 : 0, unmarked: !formatted };
}

/** In a row of numbers, such as a dump of bytes, no few of them are one. */
const isAmongNumbers = (text: string, start: number, end: number) =>
  /\d $/.test(text.slice(Math.max(0, start - 2), start)) || /^ \d/.test(text.slice(end, end + 2));

const SPANISH = /^(?:\+34|0034)?[6-9]\d{8}$/;
const EXTENSION = / ?(?:x|ext\.?) ?\d{1,6}(?![0-9A-Za-z])/y;

const keepDigits = (written: string) => written.replace(/\D/g, "");

/** Letters or digits go on right behind it, so that it is a part of something longer. */
const continues = (text: string, end: number) =>
  /^(?:[0-9A-Za-z_@]|[-./]\d)/.test(text.slice(end, end + 2)) && matchEnd(EXTENSION, text, end) < 0;

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}
