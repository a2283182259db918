/** Finds credentials: keys of known vendors by their format, others by what they are called. */
import { z } from "zod";
import { defineDetector, inspectEach, type Match } from "../detector.ts";
import { splitByLine } from "../dlp/split-by-line.ts";
import { renderMask } from "../masking/render-mask.ts";
import { SECRET_LABELS, type Secret } from "../secrets/find-secrets.ts";
import { findSegmentSecrets } from "../secrets/find-segment-secrets.ts";
import type { Segment } from "../segment.ts";
import { isRepeatable, MaskWith, NOT_REPEATABLE_ISSUE, PreserveLen } from "../shared-settings.ts";

const Settings = z
  .strictObject({
    disabled_formats: z
      .array(z.enum(SECRET_LABELS))
      .default([])
      .describe("Formats that are not looked for."),
    generic: z
      .boolean()
      .default(true)
      .describe(
        "Also report values that only their name gives away, such as `password = …` or `api_key: …`.",
      ),
    min_entropy: z
      .number()
      .min(0)
      .max(6)
      .default(2.8)
      .describe(
        "How random such a value must be at least, in bits per character. Words have about 2.5, random keys 4 and more. Values called key, token or secret need 3.3 in any case.",
      ),
    allow_list: z
      .array(z.string().min(1).max(4096))
      .max(1000)
      .default([])
      .describe("Values that are never reported, such as the key of a test system."),
    mask_with: MaskWith.optional().describe(
      "What is written in place of a secret. Left out: `[MASKED_…]` with the format's name, or `*` with `preserve_len`.",
    ),
    preserve_len: PreserveLen,
    reversible: z
      .boolean()
      .default(false)
      .describe(
        "Mask by a name of the session (`<GITHUB_TOKEN_…>`) that an output evaluation can turn back into the value, in place of `mask_with`.",
      ),
  })
  .refine(isRepeatable, NOT_REPEATABLE_ISSUE);

export const secrets = defineDetector({
  kind: "secrets",
  title: "Secrets",
  summary:
    "Finds API keys, tokens, private keys and passwords, encoded ones too, and can mask them.",
  reads: {
    input: ["user", "tool_arguments", "tool_result", "assistant", "system", "tool_definition"],
    output: ["assistant", "tool_definition", "tool_arguments", "tool_result"],
  },
  masks: true,
  settings: Settings,
  prepare: (settings) => {
    const disabled = new Set<string>(settings.disabled_formats);
    const allowed = new Set(settings.allow_list);
    const wanted = (secret: Secret, of: Segment) =>
      !disabled.has(secret.label) &&
      (!secret.generic || (settings.generic && secret.entropy >= settings.min_entropy)) &&
      !allowed.has(of.text.slice(secret.start, secret.end));

    const mask = (label: string, length: number): NonNullable<Match["mask"]> => {
      const name = label.toUpperCase();
      if (settings.reversible) return { pseudonym: name };
      const { preserve_len, mask_with = preserve_len ? "*" : `[MASKED_${name}]` } = settings;
      return { text: renderMask({ mask_with, preserve_len }, length) };
    };
    // Line by line: a masked key keeps the number of lines that clients count.
    const matches = (secret: Secret, of: Segment) =>
      splitByLine(of.text, secret).map(({ start, end }) => ({
        label: secret.label,
        type: "secret",
        confidence: secret.confidence,
        at: { segment: of, start, end },
        mask: mask(secret.label, end - start),
      }));
    return inspectEach((of) =>
      findSegmentSecrets(of)
        .filter((secret) => wanted(secret, of))
        .flatMap((secret) => matches(secret, of)),
    );
  },
});
