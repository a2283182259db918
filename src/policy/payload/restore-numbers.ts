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
  restoreLiterals(body, segments.filter(isRounded), writeDigits);
}

/** Restores every number as it was written, for the approver. */
export function restoreNumberLiterals(body: string, values: readonly ScalarValue[]): void {
  restoreLiterals(body, values, (literal) => (/^-?\d/.test(literal) ? literal : undefined));
}

/** Returns the text that replaces a parsed value; undefined: it stays. */
type WriteLiteral = (literal: string) => string | undefined;

function restoreLiterals(body: string, values: readonly ScalarValue[], write: WriteLiteral): void {
  const tree = buildPointerTree(values.map((segment) => ({ segment })));
  restoreInText(body, { steps: new Map([["payload", tree]]) }, write);
}

/** Writes an integer without fraction and exponent, as detectors read it, up to the length that JavaScript writes so. */
function writeDigits(literal: string): string | undefined {
  const [, sign, whole = "", fraction = "", exponent] = NUMBER.exec(literal) ?? [];
  const digits = whole + fraction;
  const length = whole.length + Number(exponent ?? 0);
  const isInteger = length > 0 && /^0*$/.test(digits.slice(length));
  if (!isInteger || (exponent !== undefined && length > MAX_DIGITS)) return undefined;
  return `${sign}${digits.slice(0, length).padEnd(length, "0").replace(/^0+/, "")}`;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const MAX_DIGITS = 21;

const isRounded = ({ isNumber, text }: Segment) => isNumber && !Number.isSafeInteger(Number(text));

function restoreInText(
  text: string,
  tree: PointerTree<{ segment: ScalarValue }>,
  write: WriteLiteral,
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
    if (branch.inner) restoreInText(JSON.parse(literal), branch.inner, write);
    else if (branch.item) branch.item.segment.text = write(literal) ?? branch.item.segment.text;
    return end;
  };
  walk(skipBlank(text, 0), tree);
}
