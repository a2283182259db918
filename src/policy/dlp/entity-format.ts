/** Formats of entities: how a value is written, and the confidence of a match. */
import { createOpenTest, type OpenTest } from "../../lib/text/open-pattern.ts";
import { stripSeparators } from "./checksums.ts";
import type { EntityName } from "./entities.ts";

export interface EntityFormat {
  entity: EntityName;
  /** Class of the first character. */
  startsWith: "digit" | "letter" | "either";
  /** Possible numbers of letters and digits before the first other character. Formats are indexed by it. */
  leadingLengths: readonly number[];
  /** Returns the end of the value that starts at `at`, or -1. Reads a bounded number of characters. */
  findEnd: (text: string, at: number) => number;
  /** Returns whether text after the end could make a value of what starts at `at`, or change its end. */
  isOpen: OpenTest;
  /** Confidence without a clue word nearby. 0 if the format is too ambiguous. */
  confidence: number;
  /** Confidence with a clue word nearby (clue-words.ts). */
  confidenceWithClue: number;
  /** Scope in which a clue word counts. Default: `sentence`. */
  clueScope?: ClueScope;
}

/**
 * `linked`: only words that link it to the value are in between, for ambiguous formats. `stated`: also if it is the
 * only subject of a statement that ends with the value. `near`: close before the value, or linked after it.
 * `sentence`: anywhere in the sentence, for formats that seldom occur by chance.
 */
export type ClueScope = "linked" | "stated" | "near" | "sentence";

export const range = (min: number, max: number): number[] =>
  Array.from({ length: max - min + 1 }, (_, index) => min + index);

/** Rejects a value that is part of a longer one. */
const BOUNDARY = "(?![0-9A-Za-z]|[-./]\\d)";

/** Matches a pattern of bounded length, whose value must pass `isValid`. */
export function matchPattern(
  pattern: RegExp,
  isValid: (matched: string) => boolean = () => true,
): Pick<EntityFormat, "findEnd" | "isOpen"> {
  const sticky = new RegExp(`(?:${pattern.source})${BOUNDARY}`, `${pattern.flags}y`);
  return {
    findEnd(text, at) {
      sticky.lastIndex = at;
      if (!sticky.test(text)) return -1;
      const end = sticky.lastIndex;
      return isValid(text.slice(at, end)) ? end : -1;
    },
    isOpen: createOpenTest(sticky),
  };
}

/**
 * Creates a format of digits, or of capital letters and digits, that counts only with a clue word in its sentence: its
 * check digit alone does not distinguish it from other numbers.
 */
export const cluedFormat = (
  entity: EntityName,
  leadingLengths: readonly number[],
  pattern: RegExp,
  isValid?: (characters: string) => boolean,
  more: Partial<EntityFormat> = {},
): EntityFormat => ({
  entity,
  startsWith: "digit",
  leadingLengths,
  ...matchPattern(pattern, isValid && ((matched) => isValid(stripSeparators(matched)))),
  confidence: 0,
  confidenceWithClue: 0.9,
  ...more,
});

/** Creates a format that is distinctive enough to count without a clue word, except where programs write numbers. */
export const distinctFormat = (
  ...[entity, leadingLengths, pattern, isValid, more]: Parameters<typeof cluedFormat>
): EntityFormat =>
  cluedFormat(entity, leadingLengths, pattern, isValid, {
    confidence: 0.8,
    confidenceWithClue: 0.97,
    ...more,
  });

/** Indexes formats by their first character and their number of leading letters and digits. */
export function indexFormats(formats: readonly EntityFormat[]) {
  const buildRows = (indexed: readonly EntityFormat[]) => {
    const rows: EntityFormat[][] = [];
    for (const format of indexed) {
      for (const length of format.leadingLengths) rows[length] = [...(rows[length] ?? []), format];
    }
    return rows;
  };
  const digit = buildRows(formats.filter(({ startsWith }) => startsWith !== "letter"));
  const letter = buildRows(formats.filter(({ startsWith }) => startsWith !== "digit"));
  return (isDigit: boolean, length: number): readonly EntityFormat[] =>
    (isDigit ? digit : letter)[length] ?? NO_FORMATS;
}

const NO_FORMATS: readonly EntityFormat[] = [];
