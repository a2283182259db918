/** A pattern of a user's own in the settings of a detector: refused when saved if it could not run. */
import { z } from "zod";
import { findPatternError } from "../lib/linear-regex/compile-pattern.ts";

export const PatternText = z.string().superRefine((source, context) => {
  const message = findPatternError(source);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});
