/** Finds attacks on what stands behind a model: queries, commands, paths and markup smuggled into values. */
import { z } from "zod";
import { CustomPatterns } from "../custom-patterns.ts";
import { detector } from "../detector.ts";
import { INJECTION_TYPES, INJECTIONS } from "../injections/all.ts";
import { inspectSignatures, switchedOn } from "../inspect-signatures.ts";
import { Threshold } from "../threshold.ts";

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

export const injectionProtection = detector({
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
    inspectSignatures({
      type: "injection",
      signatures: INJECTIONS,
      labels: switchedOn(
        INJECTION_TYPES,
        predefined_injections.map(({ type, enabled }) => ({ label: type, enabled })),
      ),
      custom: custom_injections,
      threshold,
    }),
});
