/** A policy while it is typed: as it is stored, with conditions and masks that may not be whole yet. */
import type { Gate, Mode, Policy, Rule } from "../../contract/policies.ts";
import { type Schema, type SchemaDraft, toDraft, toValues } from "../ui/schema-draft.ts";
import { type ConditionDraft, newLine, toCondition, toConditionDraft } from "./condition-draft.ts";

/** Keeps its fields together when the order changes. */
interface Keyed {
  key: string;
}
export type RuleDraft = Omit<Rule, "when"> & Keyed & { when: ConditionDraft };
export interface GateDraft extends Omit<Gate, "when" | "mask">, Keyed {
  when: ConditionDraft;
  mask: SchemaDraft;
  /** The stored mask until it is touched: it is then saved as it was. */
  kept: Gate["mask"];
}

export interface PolicyDraft {
  name: string;
  mode: Mode;
  gates: readonly GateDraft[];
  input_rules: readonly RuleDraft[];
  output_rules: readonly RuleDraft[];
}

/** `masking` is the schema of what a gate masks. */
export function toPolicyDraft(policy: Policy, masking: Schema): PolicyDraft {
  const ruleOf = (rule: Rule): RuleDraft => ({
    ...rule,
    ...keyed(),
    when: toConditionDraft(rule.when),
  });
  return {
    name: policy.name,
    mode: policy.mode,
    gates: policy.gates.map(({ mask, when, ...gate }) => ({
      ...gate,
      ...keyed(),
      when: toConditionDraft(when),
      mask: toDraft(masking, mask ?? {}),
      kept: mask,
    })),
    input_rules: policy.input_rules.map(ruleOf),
    output_rules: policy.output_rules.map(ruleOf),
  };
}

export const newRule = (detector_id: string): RuleDraft => ({
  ...keyed(),
  detector_id,
  action: "report",
  when: { how: "always" },
  mode: null,
  enabled: true,
});

export const newGate = (masking: Schema): GateDraft => ({
  ...keyed(),
  name: "",
  action: "block",
  when: { how: "all", lines: [newLine()] },
  mask: toDraft(masking, {}),
  kept: null,
  mode: null,
  enabled: true,
});

export function toPolicyInput(draft: PolicyDraft, masking: Schema) {
  const rulesOf = (side: "input_rules" | "output_rules") =>
    draft[side].map(({ key: _, when, ...rule }, index) => ({
      ...rule,
      when: toCondition(when, `${side}[${index}].when`),
    }));
  return {
    name: draft.name,
    mode: draft.mode,
    gates: draft.gates.map(({ key: _, when, mask, kept, ...gate }, index) => {
      const typed = () => kept ?? toValues(masking, mask, `gates[${index}].mask`);
      return {
        ...gate,
        when: toCondition(when, `gates[${index}].when`),
        mask: gate.action === "transform" ? typed() : null,
      };
    }),
    input_rules: rulesOf("input_rules"),
    output_rules: rulesOf("output_rules"),
  };
}

let made = 0;

function keyed(): Keyed {
  made += 1;
  return { key: String(made) };
}
