/** How a kind of value is written: where it ends when it starts here, and how sure that makes us. */
import type { EntityName } from "./entities.ts";

export interface EntityFormat {
  entity: EntityName;
  /** The first character of the value. */
  startsWith: "digit" | "letter" | "either";
  /** How many letters and digits there may be before the first other sign. Shapes are looked up by it. */
  leadingLengths: readonly number[];
  /** The end of the value that starts at `at`, or -1. Reads a bounded number of characters. */
  findEnd: (text: string, at: number) => number;
  /** Confidence where nothing nearby says what it is. 0: too ambiguous to tell. */
  confidence: number;
  /** Confidence where a word nearby does (clues.ts). */
  confidenceWithClue: number;
  /** Digits and letters that could be anything: the word must say that it is one. */
  isAmbiguous?: true;
}

export const range = (fewest: number, most: number): number[] =>
  Array.from({ length: most - fewest + 1 }, (_, index) => fewest + index);

/** Nothing that would make it a part of something longer may follow. */
const BOUNDARY = "(?![0-9A-Za-z]|[-./]\\d)";

/** A value of one pattern, which must have a bounded length, that a check may refuse. */
export function matchPattern(
  pattern: RegExp,
  isValid: (matched: string) => boolean = () => true,
): EntityFormat["findEnd"] {
  const here = new RegExp(`(?:${pattern.source})${BOUNDARY}`, `${pattern.flags}y`);
  return (text, at) => {
    here.lastIndex = at;
    if (!here.test(text)) return -1;
    const end = here.lastIndex;
    return isValid(text.slice(at, end)) ? end : -1;
  };
}

/** Shapes that may start with a digit or a letter, by the number of letters and digits they open with. */
export function indexFormats(shapes: readonly EntityFormat[]) {
  const table = (other: EntityFormat["startsWith"]) => {
    const rows: EntityFormat[][] = [];
    for (const shape of shapes) {
      if (shape.startsWith === other) continue;
      for (const length of shape.leadingLengths) rows[length] = [...(rows[length] ?? []), shape];
    }
    return rows;
  };
  const [digit, letter] = [table("letter"), table("digit")];
  return (isDigit: boolean, length: number): readonly EntityFormat[] =>
    (isDigit ? digit : letter)[length] ?? NO_FORMATS;
}

const NO_FORMATS: readonly EntityFormat[] = [];
