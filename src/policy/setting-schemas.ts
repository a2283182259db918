/** Settings that several detectors share: thresholds, patterns and masks. */
import { z } from "zod";
import { findPatternError } from "../lib/linear-regex/compile-pattern.ts";
import { LINE_BREAK } from "./dlp/split-by-line.ts";

/** Minimum confidence of a reported match. */
export const Threshold = z.number().min(0).max(1).default(0.7);

/** From the fewest to the most findings. */
export const Level = z.enum(["permissive", "balanced", "strict"]);
export type ReportLevel = z.output<typeof Level>;

/** Regular expression of an administrator, rejected on save if the linear-time engine cannot run it in either case. */
export const PatternText = z.string().superRefine((source, context) => {
  const message = findPatternError(source) ?? findPatternError(source, { ignore_case: true });
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

export const MaskWith = z
  .string()
  .max(64)
  .refine((text) => !LINE_BREAK.test(text), "must not contain a line break");

export const PreserveLen = z
  .boolean()
  .default(false)
  .describe("Repeat `mask_with`, which must be one character, to the length of the masked value.");

/** Checks that `preserve_len` has a single character to repeat. For `.refine` of the settings object. */
export const isRepeatable = (settings: {
  mask_with?: string | undefined;
  preserve_len: boolean;
}): boolean =>
  !settings.preserve_len || settings.mask_with === undefined || settings.mask_with.length === 1;

export const NOT_REPEATABLE_ISSUE = {
  path: ["mask_with"],
  message: "must be exactly one character when preserve_len is true",
};

/** Returns the settings of a learned detector. `measured` states which share of which harmless texts the levels reported. */
export const learnedSettings = (measured: string) =>
  z.strictObject({
    level: Level.default("balanced").describe(`How much is reported. ${measured}`),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("Minimum score, instead of a level. 0 reports every text with its score."),
  });
export type LearnedSettings = z.output<ReturnType<typeof learnedSettings>>;
