/** Finds attacks on what stands behind a model: queries, commands, paths and markup smuggled into values. */
import { z } from "zod";
import { defineDetector } from "../detector.ts";
import { Threshold } from "../shared-settings.ts";
import { CustomPatterns } from "../signatures/custom-patterns.ts";
import { INJECTION_TYPES, INJECTIONS } from "../signatures/injections/all.ts";
import { createSignatureInspector, selectEnabled } from "../signatures/signature-inspector.ts";

const Settings = z.strictObject({
  predefined_injections: z
    .array(
      z.strictObject({
        type: z.enum(INJECTION_TYPES).describe("The kind of injection."),
        enabled: z.boolean().default(true).describe("Whether it is looked for."),
      }),
    )
    .default([])
    .describe("The kinds to look for; one that is not listed is left out. Empty: all of them."),
  custom_injections: CustomPatterns.describe(
    "Patterns of your own, tried on the text and on what is encoded in it.",
  ),
  threshold: Threshold.describe(
    "How sure a match must be. In prose, where people discuss code, a text counts for less than in the arguments of a tool.",
  ),
});

export const injectionProtection = defineDetector({
  kind: "injection_protection",
  title: "Injection protection",
  summary:
    "SQL, NoSQL, command, path, script, template and other injections in tool arguments, tool results and user text.",
  reads: {
    input: ["user", "system", "tool_arguments", "tool_result"],
    output: ["tool_arguments"],
  },
  masks: false,
  settings: Settings,
  prepare: ({ predefined_injections, custom_injections, threshold }) =>
    createSignatureInspector({
      type: "injection",
      signatures: INJECTIONS,
      labels: selectEnabled(
        INJECTION_TYPES,
        predefined_injections.map(({ type, enabled }) => ({ label: type, enabled })),
      ),
      custom: custom_injections,
      threshold,
    }),
});
