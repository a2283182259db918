/** Draft of a policy, whose conditions and masks may be incomplete. */
import type { Gate, Mode, Policy, Rule } from "../../contract/guard/policies.ts";
import {
  type Schema,
  type SchemaDraft,
  toSchemaDraft,
  toValues,
} from "../ui/fields/schema-draft.ts";
import { tryParseJson } from "../ui/parse-json.ts";
import {
  type ConditionDraft,
  joinItems,
  newLine,
  toCondition,
  toConditionDraft,
} from "./condition-draft.ts";
import { readCondition } from "./read-condition.ts";

/** The detector kind whose settings configure the masking of a gate. */
export const MASKING_KIND = "data_loss_prevention";

/** React key, which keeps the fields of an entry together when the order changes. */
interface Keyed {
  key: string;
}
export type RuleDraft = Omit<Rule, "when"> & Keyed & { when: ConditionDraft };
export interface GateDraft extends Omit<Gate, "when" | "mask">, Keyed {
  when: ConditionDraft;
  mask: SchemaDraft;
  /** The stored mask, which an unchanged draft saves as is. */
  storedMask: Gate["mask"];
}

export interface PolicyDraft {
  name: string;
  mode: Mode;
  /** About the version that the next save creates. */
  note: string;
  gates: readonly GateDraft[];
  input_rules: readonly RuleDraft[];
  output_rules: readonly RuleDraft[];
}

/** `masking` is the schema of the masking settings of a gate. */
export function toPolicyDraft(policy: Policy, masking: Schema): PolicyDraft {
  const toRuleDraft = (rule: Rule): RuleDraft => ({
    ...rule,
    ...newKey(),
    when: toConditionDraft(rule.when),
  });
  return {
    name: policy.name,
    mode: policy.mode,
    note: "",
    gates: policy.gates.map(({ mask, when, ...gate }) => ({
      ...gate,
      ...newKey(),
      when: toConditionDraft(when),
      mask: toSchemaDraft(masking, mask ?? {}),
      storedMask: mask,
    })),
    input_rules: policy.input_rules.map(toRuleDraft),
    output_rules: policy.output_rules.map(toRuleDraft),
  };
}

export const newRule = (detector_id: string): RuleDraft => ({
  ...newKey(),
  detector_id,
  action: "report",
  origins: null,
  when: { kind: "always" },
  mode: null,
  enabled: true,
});

export const newGate = (masking: Schema): GateDraft => ({
  ...newKey(),
  name: "",
  action: "block",
  when: { kind: "all", items: [newLine()] },
  mask: toSchemaDraft(masking, {}),
  storedMask: null,
  mode: null,
  enabled: true,
});

/** Returns a gate or rule as entered so far, for its sentence. Undefined: its condition is incomplete JSON. */
export function toPreview<Draft extends { when: ConditionDraft }>(draft: Draft) {
  const { when } = draft;
  if (when.stored) return { ...draft, when: when.stored };
  if (when.kind === "always") return { ...draft, when: null };
  if (when.kind !== "json") return { ...draft, when: joinItems(when) };
  const condition = readCondition(tryParseJson(when.text));
  return condition && { ...draft, when: condition };
}

export function toPolicyInput(draft: PolicyDraft, masking: Schema) {
  const toRules = (side: "input_rules" | "output_rules") =>
    draft[side].map(({ key: _, when, ...rule }, index) => ({
      ...rule,
      when: toCondition(when, `${side}[${index}].when`),
    }));
  return {
    name: draft.name,
    mode: draft.mode,
    gates: draft.gates.map(({ key: _, when, mask, storedMask, ...gate }, index) => {
      const toMask = () => storedMask ?? toValues(masking, mask, `gates[${index}].mask`);
      return {
        ...gate,
        when: toCondition(when, `gates[${index}].when`),
        mask: gate.action === "transform" ? toMask() : null,
      };
    }),
    input_rules: toRules("input_rules"),
    output_rules: toRules("output_rules"),
  };
}

let lastKey = 0;

function newKey(): Keyed {
  lastKey += 1;
  return { key: String(lastKey) };
}
