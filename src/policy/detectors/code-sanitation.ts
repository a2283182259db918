/** Detector of dangerous code: destructive commands, backdoors and dynamic execution. */
import { z } from "zod";
import { defineDetector } from "../detector.ts";
import { Threshold } from "../setting-schemas.ts";
import { CustomPatterns } from "../signatures/custom-patterns.ts";
import { DANGEROUS_CODE, LANGUAGES } from "../signatures/dangerous-code/all.ts";
import { createSignatureInspector, selectEnabled } from "../signatures/signature-inspector.ts";

const Settings = z.strictObject({
  languages: z
    .array(
      z.strictObject({
        language: z.enum(LANGUAGES).describe("Language of the code."),
        enabled: z.boolean().default(true).describe("Whether code in this language is detected."),
      }),
    )
    .default([])
    .describe(
      "Languages to detect. Languages that are not listed are ignored; an empty list means all.",
    ),
  custom_patterns: CustomPatterns.describe(
    "Custom patterns, applied to the text and to content encoded in it.",
  ),
  threshold: Threshold.describe(
    "Minimum confidence of a match. At 0.7, attacks are detected everywhere, and code that is merely risky only in tool arguments. At 0.4, both are detected everywhere.",
  ),
});

export const codeSanitation = defineDetector({
  kind: "code_sanitation",
  title: "Code sanitation",
  summary:
    "Detects dangerous code: destructive commands, reverse shells, obfuscated or dynamic execution, unsafe deserialization.",
  reads: {
    input: ["user", "system", "tool_arguments"],
    output: ["assistant", "tool_arguments"],
  },
  masks: false,
  settings: Settings,
  prepare: ({ languages, custom_patterns, threshold }) =>
    createSignatureInspector({
      type: "code_injection",
      signatures: DANGEROUS_CODE,
      labels: selectEnabled(
        LANGUAGES,
        languages.map(({ language, enabled }) => ({ label: language, enabled })),
      ),
      custom: custom_patterns,
      threshold,
    }),
});
