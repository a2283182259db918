/** Patterns that an administrator adds to those that a detector knows. */
import { z } from "zod";
import { compilePattern } from "../../lib/linear-regex/compile-pattern.ts";
import { PatternText } from "../shared-settings.ts";
import type { TextSpan } from "../views/source-map.ts";
import type { View } from "../views/view.ts";

export const CustomPatterns = z
  .array(
    z.strictObject({
      name: z.string().min(1).max(100).describe("What a finding calls it."),
      pattern: PatternText.describe("A regular expression; upper and lower case are the same."),
    }),
  )
  .max(100)
  .default([]);
export type CustomPatterns = z.output<typeof CustomPatterns>;

type FirstMatchFinder = (view: View) => (TextSpan & { name: string }) | undefined;

/** For each pattern what gives its first match, at its place in the original. */
export const compileCustomPatterns = (patterns: CustomPatterns): FirstMatchFinder[] =>
  patterns.map(({ name, pattern }) => {
    const compiled = compilePattern(pattern, { ignore_case: true });
    return (view) => {
      const [first] = compiled.findMatches(view.exact);
      return first && { name, ...view.toOriginal(first.start, first.end) };
    };
  });
