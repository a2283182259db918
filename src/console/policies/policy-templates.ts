/** Templates of policies: what each one creates, and the settings that it needs. */
import type { ReactNode } from "react";
import { AppError } from "../../contract/errors.ts";
import type { DetectorInput } from "../../contract/guard/detectors.ts";
import type { Rule } from "../../contract/guard/policies.ts";
import type { DetectorKind } from "../detectors/detector-form.tsx";
import type { SettingsFieldsProps } from "../detectors/detector-settings.tsx";
import { EntityFields } from "../detectors/entity-fields.tsx";
import { LevelField } from "../detectors/level-field.tsx";
import { WordsFields } from "../detectors/words-fields.tsx";
import { type Schema, type SchemaDraft, toValues } from "../ui/fields/schema-draft.ts";

interface TemplateDetector {
  /** Follows the name of the policy in the name of the detector. */
  name: string;
  kind: string;
  /** Actions of its rules. Undefined: no rule. */
  input?: Rule["action"];
  output?: Rule["action"];
}

interface PolicyTemplate {
  title: string;
  about: string;
  detectors: readonly TemplateDetector[];
  /** Fields for the settings of the detectors, which have the same schema. */
  Fields?: (props: SettingsFieldsProps) => ReactNode;
  /** A gate asks for approval of calls of these tools. */
  asksForTools?: true;
}

export const TEMPLATES = {
  blank: {
    title: "Blank",
    about: "Starts without rules. You add them in the next step.",
    detectors: [],
  },
  block_words: {
    title: "Block words",
    about: "Rejects requests and responses that contain words from your list.",
    detectors: [{ name: "words", kind: "prompt_moderation", input: "block", output: "block" }],
    Fields: WordsFields,
  },
  mask_personal_data: {
    title: "Mask personal data",
    about:
      "Replaces email addresses, card numbers, identity numbers and others in both directions.",
    detectors: [
      {
        name: "personal data",
        kind: "data_loss_prevention",
        input: "transform",
        output: "transform",
      },
    ],
    Fields: EntityFields,
  },
  block_secrets: {
    title: "Block secrets",
    about: "Rejects requests and responses with API keys, tokens, private keys or passwords.",
    detectors: [{ name: "secrets", kind: "secrets", input: "block", output: "block" }],
  },
  stop_prompt_injection: {
    title: "Stop prompt injection",
    about: "Rejects attempts to override instructions, in prompts, tool results and documents.",
    detectors: [
      { name: "prompt injections", kind: "prompt_guard", input: "block" },
      {
        name: "planted instructions",
        kind: "indirect_prompt_injection",
        input: "block",
        output: "block",
      },
    ],
    Fields: LevelField,
  },
  approve_payments: {
    title: "Approve payments",
    about: "Holds calls of payment tools until a person approves them.",
    detectors: [],
    asksForTools: true,
  },
} as const satisfies Record<string, PolicyTemplate>;

export type TemplateName = keyof typeof TEMPLATES;

export const findTemplate = (name: TemplateName): PolicyTemplate => TEMPLATES[name];

export const PAYMENT_TOOLS = "pay\ntransfer\nrefund\npurchase\ncharge";

interface TemplateInput {
  template: TemplateName;
  name: string;
  settings: SchemaDraft;
  /** Parts of tool names, one per line. */
  tools: string;
}

/** Returns the detectors, rules and gates that a template creates. */
export function applyTemplate(input: TemplateInput, catalog: readonly DetectorKind[]) {
  const { template, name, settings, tools } = input;
  const { detectors, Fields, asksForTools } = findTemplate(template);
  const nameOf = (detector: TemplateDetector) => `${name}: ${detector.name}`;
  const toRules = (direction: "input" | "output") =>
    detectors.flatMap((detector) => {
      const action = detector[direction];
      return action ? [{ detector: nameOf(detector), action }] : [];
    });
  return {
    detectors: detectors.map((detector, index): DetectorInput => {
      const { kind } = detector;
      const values = Fields
        ? toValues(settingsSchema(catalog, kind), settings, `detectors[${index}].settings`)
        : {};
      if (template === "block_words") requireWords(values);
      return { name: nameOf(detector), kind, settings: values, enabled: true };
    }),
    input_rules: toRules("input"),
    output_rules: toRules("output"),
    gates: asksForTools ? [createToolGate(tools)] : [],
  };
}

export const settingsSchema = (catalog: readonly DetectorKind[], kind: string): Schema =>
  catalog.find((entry) => entry.kind === kind)?.settings_schema ?? {};

function requireWords({ keywords }: Record<string, unknown>): void {
  if (Array.isArray(keywords) && keywords.length > 0) return;
  const text = "detectors[0].settings.keywords: enter at least one word";
  throw new AppError("validation_failed", text);
}

/** Matches in upper and lower case: `createPayment` and `create_payment` are both payments. */
function createToolGate(tools: string) {
  const words = tools
    .split("\n")
    .map((word) => word.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .filter((word) => word !== "");
  if (words.length === 0) {
    throw new AppError("validation_failed", "gates[0].when: enter at least one word");
  }
  return {
    name: "Payments",
    action: "ask" as const,
    when: { field: "tool.name", op: "match" as const, value: `(?i)${words.join("|")}` },
  };
}
