/** Restores numbers as they were written: JSON.parse rounds integers of more than 15 digits. */
import { OPEN_BRACE, OPEN_BRACKET } from "../../lib/json/skip-value.ts";
import { eachItem, eachMember, findValueEnd, skipBlank } from "../../lib/json/source-text.ts";
import type { Segment } from "../segment.ts";
import type { ScalarValue } from "./payload.ts";
import { buildPointerTree, type PointerTree } from "./pointer-tree.ts";

/**
 * Restores the digits of long integers, for detectors. `body` is the text of the evaluation that the
 * segments were read from.
 */
export function restoreLongIntegers(body: string, segments: readonly Segment[]): void {
  if (!segments.some(isRounded)) return;
  // Keeps the parsed form of numbers with an exponent, which detectors can read.
  restoreLiterals(body, segments.filter(isRounded), /^-?\d+$/);
}

/** Restores every number as it was written, for the approver. */
export function restoreNumberLiterals(body: string, values: readonly ScalarValue[]): void {
  restoreLiterals(body, values, /^-?\d/);
}

function restoreLiterals(body: string, values: readonly ScalarValue[], pattern: RegExp): void {
  const tree = buildPointerTree(values.map((segment) => ({ segment })));
  restoreInText(body, { steps: new Map([["payload", tree]]) }, pattern);
}

const isRounded = ({ isNumber, text }: Segment) => isNumber && !Number.isSafeInteger(Number(text));

function restoreInText(
  text: string,
  tree: PointerTree<{ segment: ScalarValue }>,
  pattern: RegExp,
): void {
  const walk = (at: number, branch: typeof tree | undefined): number => {
    if (!branch) return findValueEnd(text, at);
    const first = text.charCodeAt(at);
    if (first === OPEN_BRACE) {
      return eachMember(text, at, (name, value) => walk(value, branch.steps.get(name)));
    }
    if (first === OPEN_BRACKET) {
      return eachItem(text, at, (index, value) => walk(value, branch.steps.get(String(index))));
    }
    const end = findValueEnd(text, at);
    const literal = text.slice(at, end);
    if (branch.inner) restoreInText(JSON.parse(literal), branch.inner, pattern);
    else if (branch.item && pattern.test(literal)) branch.item.segment.text = literal;
    return end;
  };
  walk(skipBlank(text, 0), tree);
}
