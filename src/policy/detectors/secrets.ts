/** Detector of credentials: keys of known vendors by format, others by name. */
import { z } from "zod";
import { defineDetector, type Match } from "../detector.ts";
import { splitByLine } from "../dlp/split-by-line.ts";
import { inspectMessages } from "../inspect-messages.ts";
import { renderMask } from "../masking/render-mask.ts";
import { findOpenSecret, NAME_CHARACTERS } from "../secrets/find-open-secret.ts";
import { SECRET_LABELS, type Secret } from "../secrets/find-secrets.ts";
import { findSegmentSecrets } from "../secrets/find-segment-secrets.ts";
import type { Segment } from "../segment.ts";
import { isRepeatable, MaskWith, NOT_REPEATABLE_ISSUE, PreserveLen } from "../setting-schemas.ts";
import { findOpenInViews } from "../views/find-open-in-views.ts";

const Settings = z
  .strictObject({
    disabled_formats: z
      .array(z.enum(SECRET_LABELS))
      .default([])
      .describe("Formats that are not detected.")
      .meta({ title: "Formats to ignore" }),
    generic: z
      .boolean()
      .default(true)
      .describe(
        "Also detect values that only the text before them identifies, such as `password = …`, `api_key: …` or `our Datadog key …`.",
      )
      .meta({ title: "Values that only the text before them identifies" }),
    min_entropy: z
      .number()
      .min(0)
      .max(6)
      .default(2.8)
      .describe(
        "Minimum entropy of such a value, in bits per character. Words have about 2.5, random keys 4 or more. Values named key, token or secret always need at least 3.3.",
      )
      .meta({ title: "Minimum entropy" }),
    allow_list: z
      .array(z.string().min(1).max(4096))
      .max(1000)
      .default([])
      .describe("Values that are never reported, such as the key of a test system.")
      .meta({ title: "Values that are never reported" }),
    mask_with: MaskWith.optional()
      .describe(
        "Replacement text. Default: `[MASKED_…]` with the name of the format, or `*` with `preserve_len`.",
      )
      .meta({ title: "Replacement text" }),
    preserve_len: PreserveLen,
    reversible: z
      .boolean()
      .default(false)
      .describe(
        "Mask with a pseudonym of the session (`<GITHUB_TOKEN_…>`) instead of `mask_with`. The restore_masks detector can restore the value in the output.",
      )
      .meta({ title: "Mask with pseudonyms that can be restored" }),
  })
  .refine(isRepeatable, NOT_REPEATABLE_ISSUE);

export const secrets = defineDetector({
  kind: "secrets",
  title: "Secrets",
  summary: "Detects API keys, tokens, private keys and passwords, also encoded, and can mask them.",
  reads: {
    input: ["user", "tool_arguments", "tool_result", "assistant", "system", "tool_definition"],
    output: ["assistant", "tool_definition", "tool_arguments", "tool_result"],
  },
  masks: true,
  settings: Settings,
  prepare: (settings) => {
    const disabled = new Set<string>(settings.disabled_formats);
    const allowed = new Set(settings.allow_list);
    const isReported = (secret: Secret, segment: Segment) =>
      !disabled.has(secret.label) &&
      (!secret.generic || (settings.generic && secret.entropy >= settings.min_entropy)) &&
      !allowed.has(segment.text.slice(secret.start, secret.end));

    const createMask = (label: string, length: number): NonNullable<Match["mask"]> => {
      const name = label.toUpperCase();
      if (settings.reversible) return { pseudonym: name };
      const { preserve_len, mask_with = preserve_len ? "*" : `[MASKED_${name}]` } = settings;
      return { text: renderMask({ mask_with, preserve_len }, length) };
    };
    // Splits by line, so that masking a private key keeps the number of lines.
    const toMatches = (secret: Secret, segment: Segment) =>
      splitByLine(segment.text, secret).map((line) => ({
        label: secret.label,
        type: "secret",
        confidence: secret.confidence,
        at: { segment, ...line },
        mask: createMask(secret.label, line.end - line.start),
      }));
    return inspectMessages(
      (segment) =>
        findSegmentSecrets(segment)
          .filter((secret) => isReported(secret, segment))
          .flatMap((secret) => toMatches(secret, segment)),
      {
        findOpenStart: (segment, from) =>
          findOpenInViews(segment, from, ({ exact }, at) => findOpenSecret(exact, at)),
        context: NAME_CHARACTERS,
        findSpans: findSegmentSecrets,
      },
    );
  },
});
