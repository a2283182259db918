/** Numbers as they were written: those of more than fifteen digits are rounded when they are read. */
import { OPEN_BRACE, OPEN_BRACKET } from "../../lib/json-skip.ts";
import { eachItem, eachMember, endOfValue, skipBlank } from "../../lib/json-text.ts";
import type { Segment } from "../segment.ts";
import { type Branch, placeTree } from "./place-tree.ts";

/** `body` is the text of the evaluation that the segments were read from. */
export function exactNumbers(body: string, segments: readonly Segment[]): void {
  if (!segments.some(isRounded)) return;
  const rounded = segments.filter(isRounded).map((segment) => ({ segment }));
  look(body, { steps: new Map([["payload", placeTree(rounded)]]) });
}

const isRounded = ({ isNumber, text }: Segment) => isNumber && !Number.isSafeInteger(Number(text));

function look(text: string, tree: Branch<{ segment: Segment }>): void {
  const walk = (at: number, branch: typeof tree | undefined): number => {
    if (!branch) return endOfValue(text, at);
    const first = text.charCodeAt(at);
    if (first === OPEN_BRACE) {
      return eachMember(text, at, (name, value) => walk(value, branch.steps.get(name)));
    }
    if (first === OPEN_BRACKET) {
      return eachItem(text, at, (index, value) => walk(value, branch.steps.get(String(index))));
    }
    const end = endOfValue(text, at);
    const literal = text.slice(at, end);
    if (branch.inner) look(JSON.parse(literal), branch.inner);
    // One that is written with an exponent reads better as it was computed.
    else if (branch.item && /^-?\d+$/.test(literal)) branch.item.segment.text = literal;
    return end;
  };
  walk(skipBlank(text, 0), tree);
}
