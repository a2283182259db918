/** Detector of instructions that are planted in tool results, documents and attachments. */
import { defineDetector } from "../detector.ts";
import {
  createInjectionInspector,
  LearnedSettings,
  UNTRUSTED_ORIGINS,
} from "../learned/injection-inspector.ts";

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
  settings: LearnedSettings,
  prepare: (settings) => createInjectionInspector("indirect_prompt_injection", settings),
});
