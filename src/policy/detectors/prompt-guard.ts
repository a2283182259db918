/** Detector of prompt injections and jailbreaks in what users, applications and tool definitions say to a model. */
import { defineDetector } from "../detector.ts";
import { createInjectionInspector, UNTRUSTED_ORIGINS } from "../learned/injection-inspector.ts";
import { learnedSettings } from "../setting-schemas.ts";

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
  settings: learnedSettings(
    "Of 3,149 harmless messages that no model was trained on, `permissive` reported 0.4 %, `balanced` 1.8 % and `strict` 4.3 %; other texts may be reported more often.",
  ),
  prepare: (settings) => createInjectionInspector("prompt_injection", settings),
});
