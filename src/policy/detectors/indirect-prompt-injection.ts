/** Detector of instructions that are planted in tool results, documents and attachments. */
import { defineDetector } from "../detector.ts";
import { createInjectionInspector, UNTRUSTED_ORIGINS } from "../learned/injection-inspector.ts";
import { learnedSettings } from "../setting-schemas.ts";

export const indirectPromptInjection = defineDetector({
  kind: "indirect_prompt_injection",
  title: "Indirect prompt injection",
  summary:
    "Detects instructions to the model inside tool results, attachments and files in messages, text files included, with a learned model.",
  reads: { input: ["tool_result", "attachment"], output: ["tool_result", "attachment"] },
  origins: UNTRUSTED_ORIGINS,
  separatesFiles: true,
  masks: false,
  scores: true,
  settings: learnedSettings(
    "Of 6,100 harmless tool results, documents and files that no model was trained on, `permissive` reported 3.5 %, `balanced` 6.2 % and `strict` 24 %; documents for agents are reported more often, other files less.",
  ),
  prepare: (settings) => createInjectionInspector("indirect_prompt_injection", settings),
});
