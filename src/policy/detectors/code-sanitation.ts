/** Finds code that does harm when it is run: it destroys, opens a way in or runs what it is given. */
import { z } from "zod";
import { defineDetector } from "../detector.ts";
import { Threshold } from "../shared-settings.ts";
import { CustomPatterns } from "../signatures/custom-patterns.ts";
import { DANGEROUS_CODE, LANGUAGES } from "../signatures/dangerous-code/all.ts";
import { createSignatureInspector, selectEnabled } from "../signatures/signature-inspector.ts";

const Settings = z.strictObject({
  languages: z
    .array(
      z.strictObject({
        language: z.enum(LANGUAGES).describe("A language."),
        enabled: z.boolean().default(true).describe("Whether its code is looked at."),
      }),
    )
    .default([])
    .describe("The languages to look for; one that is not listed is left out. Empty: all of them."),
  custom_patterns: CustomPatterns.describe(
    "Patterns of your own, tried on the text and on what is encoded in it.",
  ),
  threshold: Threshold.describe(
    "How sure a match must be. At 0.7 code that attacks is found everywhere, and code that merely can is found in the arguments of tools; at 0.4 all of it everywhere.",
  ),
});

export const codeSanitation = defineDetector({
  kind: "code_sanitation",
  title: "Code sanitation",
  summary:
    "Dangerous code: destructive commands, reverse shells, hidden or dynamic execution, unsafe deserialization.",
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
