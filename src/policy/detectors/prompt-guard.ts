/** Detector of prompt injections and jailbreaks in what users, applications and tool definitions say to a model. */
import { defineDetector } from "../detector.ts";
import {
  createInjectionInspector,
  LearnedSettings,
  UNTRUSTED_ORIGINS,
} from "../learned/injection-inspector.ts";

export const promptGuard = defineDetector({
  kind: "prompt_guard",
  title: "Prompt guard",
  summary:
    "Detects attempts to override instructions, jailbreaks and prompt extraction with a learned model, in plain words too. Files in messages are read by `indirect_prompt_injection`.",
  reads: { input: ["user", "system", "tool_definition"], output: ["tool_definition"] },
  origins: UNTRUSTED_ORIGINS,
  separatesFiles: true,
  masks: false,
  scores: true,
  settings: LearnedSettings,
  prepare: (settings) => createInjectionInspector("prompt_injection", settings),
});
