/** Finds where a match starts that more text may complete or change. */
import { classifyCharacters } from "./classify-characters.ts";
import type { RegexProgram } from "./compile-tree.ts";

/**
 * Creates a function that follows all steps from left to right, each with the first start that leads to it. Every
 * assertion passes, because the next character may satisfy it.
 */
export function createOpenStartFinder({ steps, start }: RegexProgram) {
  const sets = steps.flatMap((step) => (step.kind === "take" ? [step.set] : []));
  const { classOf, table, membersOf } = classifyCharacters(sets);
  const fits = steps.map((step) => (step.kind === "take" ? membersOf.get(step.set) : undefined));

  return (text: string, from: number): number => {
    /** First start by step, for the steps that are possible at the current position. */
    let current = new Map<number, number>();
    for (let position = from; position < text.length; ) {
      enter(current, start, position);
      const point = text.codePointAt(position) ?? 0;
      const read = table[point] ?? classOf(point);
      const next = new Map<number, number>();
      for (const [index, began] of current) {
        const step = steps[index];
        if (step?.kind === "take" && fits[index]?.[read]) enter(next, step.next, began);
      }
      current = next;
      position += point > 0xffff ? 2 : 1;
    }
    return Math.min(text.length, ...current.values());
  };

  function enter(entered: Map<number, number>, from: number, began: number): void {
    const open = [from];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if ((entered.get(index) ?? Number.POSITIVE_INFINITY) <= began) continue;
      entered.set(index, began);
      const step = steps[index];
      if (step?.kind === "fork") open.push(step.second, step.first);
      if (step?.kind === "check") open.push(step.next);
    }
  }
}

/** Returns how many characters before a match it depends on: all of them if the pattern contains `^`. */
export const countContext = ({ steps }: RegexProgram): number =>
  steps.some((step) => step.kind === "check" && /start$/.test(step.assertion))
    ? Number.POSITIVE_INFINITY
    : 1;
