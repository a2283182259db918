/** Custom patterns of an administrator, in addition to a detector's built-in ones. */
import { z } from "zod";
import { compilePattern } from "../../lib/linear-regex/compile-pattern.ts";
import { PatternText } from "../setting-schemas.ts";
import type { TextSpan } from "../views/source-map.ts";
import type { View } from "../views/view.ts";

export const CustomPatterns = z
  .array(
    z.strictObject({
      name: z.string().min(1).max(100).describe("Label of the match in findings."),
      pattern: PatternText.describe("Regular expression, case-insensitive."),
    }),
  )
  .max(100)
  .default([]);
export type CustomPatterns = z.output<typeof CustomPatterns>;

type FirstMatchFinder = (view: View) => (TextSpan & { name: string }) | undefined;

/** Compiles each pattern to a function that returns its first match, located in the original. */
export const compileCustomPatterns = (patterns: CustomPatterns): FirstMatchFinder[] =>
  patterns.map(({ name, pattern }) => {
    const compiled = compilePattern(pattern, { ignore_case: true });
    return (view) => {
      const [first] = compiled.findMatches(view.exact);
      return first && { name, ...view.toOriginal(first.start, first.end) };
    };
  });
