/** Detector of injection attacks on systems behind a model: queries, commands, paths and markup in values. */
import { z } from "zod";
import { defineDetector } from "../detector.ts";
import { Threshold } from "../setting-schemas.ts";
import { CustomPatterns } from "../signatures/custom-patterns.ts";
import { INJECTION_TYPES, INJECTIONS } from "../signatures/injections/all.ts";
import { createSignatureInspector, selectEnabled } from "../signatures/signature-inspector.ts";

const Settings = z.strictObject({
  predefined_injections: z
    .array(
      z.strictObject({
        type: z.enum(INJECTION_TYPES).describe("Kind of injection."),
        enabled: z.boolean().default(true).describe("Whether this kind is detected."),
      }),
    )
    .default([])
    .describe("Kinds to detect. Kinds that are not listed are ignored; an empty list means all."),
  custom_injections: CustomPatterns.describe(
    "Custom patterns, applied to the text and to content encoded in it.",
  ),
  threshold: Threshold.describe(
    "Minimum confidence of a match. Confidence is lower in prose, where people discuss code, than in tool arguments. An argument that is the path of a system file, such as `/var/log/syslog`, has 0.7.",
  ),
});

export const injectionProtection = defineDetector({
  kind: "injection_protection",
  title: "Injection protection",
  summary:
    "Detects SQL, NoSQL, command, path, script, template and other injections in tool arguments, tool results and user text.",
  reads: {
    input: ["user", "system", "tool_arguments", "tool_result"],
    output: ["tool_arguments", "tool_result"],
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
