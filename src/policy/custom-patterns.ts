/** Patterns that an administrator adds to those that a detector knows. */
import { z } from "zod";
import { compilePattern } from "../lib/linear-regex/compile-pattern.ts";
import { PatternText } from "./pattern-text.ts";
import type { Span } from "./views/source-map.ts";
import type { View } from "./views.ts";

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

type FindFirst = (view: View) => (Span & { name: string }) | undefined;

/** For each pattern what gives its first match, at its place in the original. */
export const customScans = (patterns: CustomPatterns): FindFirst[] =>
  patterns.map(({ name, pattern }) => {
    const compiled = compilePattern(pattern, { ignore_case: true });
    return (view) => {
      const [first] = compiled.findMatches(view.exact);
      return first && { name, ...view.span(first.start, first.end) };
    };
  });
