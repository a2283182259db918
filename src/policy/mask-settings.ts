/** How users say what stands in the place of a match: members of a detector's settings. */
import { z } from "zod";
import { LINE_BREAK } from "./dlp/lines-of.ts";

export const MaskWith = z
  .string()
  .max(64)
  .refine((text) => !LINE_BREAK.test(text), "must be on one line: lines are counted by clients");

export const PreserveLen = z
  .boolean()
  .default(false)
  .describe(
    "Repeat the one character of `mask_with` so that the mask is as long as what it hides.",
  );

/** For `.refine` of the object that has both. */
export const isRepeatable = (settings: {
  mask_with?: string | undefined;
  preserve_len: boolean;
}): boolean =>
  !settings.preserve_len || settings.mask_with === undefined || settings.mask_with.length === 1;

export const NOT_REPEATABLE = {
  path: ["mask_with"],
  message: "must be one character where preserve_len is true, which repeats it",
};
