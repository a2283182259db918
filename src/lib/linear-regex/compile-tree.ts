/** Compiles a pattern to a program: each step takes a character, forks, checks a position or matches. */
import type { CodePoints } from "./code-points.ts";
import type { Assertion, PatternTree } from "./parse-pattern.ts";

export type RegexStep =
  | { kind: "take"; set: CodePoints; next: number }
  /** Prefers the first: that makes a repetition greedy or lazy. */
  | { kind: "fork"; first: number; second: number }
  | { kind: "check"; assertion: Assertion; next: number }
  | { kind: "match" };

export interface RegexProgram {
  steps: readonly RegexStep[];
  start: number;
}

/** Caps the work per character, which grows with the number of steps. */
const MAX_STEPS = 2000;

export function compileTree(tree: PatternTree): RegexProgram {
  const steps: RegexStep[] = [{ kind: "match" }];
  return { steps, start: emit(tree, 0) };

  function add(step: RegexStep): number {
    if (steps.length >= MAX_STEPS) {
      throw new Error(
        "The pattern is too large when its repetitions are expanded. Use fewer repetitions.",
      );
    }
    return steps.push(step) - 1;
  }

  /** Returns the first step that matches `part` and continues at `next`. */
  function emit(part: PatternTree, next: number): number {
    switch (part.kind) {
      case "one_of":
        return add({ kind: "take", set: part.set, next });
      case "assert":
        return add({ kind: "check", assertion: part.assertion, next });
      case "sequence":
        return part.items.reduceRight((after, item) => emit(item, after), next);
      case "choice":
        return part.items
          .map((item) => emit(item, next))
          .reduceRight((second, first) => add({ kind: "fork", first, second }));
      case "repeat":
        return emitRepeat(part, next);
    }
  }

  function emitRepeat(
    { item, min, max, greedy }: PatternTree & { kind: "repeat" },
    next: number,
  ): number {
    const choose = (again: number) =>
      greedy
        ? ({ kind: "fork", first: again, second: next } as const)
        : ({ kind: "fork", first: next, second: again } as const);
    let entry = next;
    if (max === Number.POSITIVE_INFINITY) {
      entry = add(choose(next));
      steps[entry] = choose(emit(item, entry));
    } else {
      for (let times = min; times < max; times++) entry = add(choose(emit(item, entry)));
    }
    for (let times = 0; times < min; times++) entry = emit(item, entry);
    return entry;
  }
}
