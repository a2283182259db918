/** Kinds of detection that are measured, and the detector of each. Tasks whose detector does not exist are omitted. */
import { detectors } from "../src/policy/detectors/all.ts";

export type TaskName =
  | "prompt_injection"
  | "indirect_prompt_injection"
  | "code_injection"
  | "toxicity"
  | "personal_data"
  | "secrets";

export interface Task {
  name: TaskName;
  title: string;
  /** Kind of the detector. */
  kind: string;
  /** Introduces the section in docs/detection.md. */
  summary: string;
  /** Settings for the comparison of spans. Undefined: whole texts are scored. */
  spanSettings?: Readonly<Record<string, unknown>>;
}

const TASKS: readonly Task[] = [
  {
    name: "prompt_injection",
    title: "Prompt injection and jailbreaks",
    kind: "prompt_guard",
    summary:
      "User messages, system prompts and tool definitions that try to override instructions, remove rules or extract the prompt.",
  },
  {
    name: "indirect_prompt_injection",
    title: "Instructions in tool results and documents",
    kind: "indirect_prompt_injection",
    summary: "Instructions to the model, planted in content that only carries data.",
  },
  {
    name: "code_injection",
    title: "Injection in tool arguments",
    kind: "injection_protection",
    summary: "SQL, script, path and command injection in the arguments of a tool call.",
  },
  {
    name: "toxicity",
    title: "Toxicity",
    kind: "toxicity",
    summary: "Hate, harassment, threats, profanity and sexual content in user messages.",
  },
  {
    name: "personal_data",
    title: "Personal data",
    kind: "data_loss_prevention",
    summary: "Values of persons, with their exact position, which is what masking depends on.",
    spanSettings: {
      apply_all: true,
      // Detected only if they are listed.
      predefined_entities: [
        { entity: "person_name" },
        { entity: "location" },
        { entity: "organization" },
      ],
    },
  },
  {
    name: "secrets",
    title: "Secrets",
    kind: "secrets",
    summary:
      "Keys, tokens and passwords, with their exact position. The negatives of gitleaks are hard: each is a negative of one rule, and some contain a secret of another.",
    spanSettings: {},
  },
];

export const tasks = TASKS.filter(({ kind }) => detectors.has(kind));
