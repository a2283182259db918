/** Fields that gates and rules share: action, mode, condition and enabled. */
import { CheckField, SelectField } from "../ui/fields/field.tsx";
import { ConditionFields, ConditionKindField } from "./condition-fields.tsx";
import type { GateDraft, RuleDraft } from "./policy-draft.ts";

type RuleAction = GateDraft["action"] | RuleDraft["action"];
type SharedFields = Pick<RuleDraft, "mode" | "enabled" | "when"> & { action: RuleAction };

const ACTIONS: Record<RuleAction, string> = {
  block: "block: reject",
  ask: "ask: a person decides",
  transform: "transform: mask",
  withhold: "withhold: replace the paragraph",
  report: "report: record only",
  skip: "skip: skip the remaining gates",
};

interface RuleFieldsProps<Value extends SharedFields> {
  name: string;
  value: Value;
  /** Selectable actions. */
  actions: readonly Value["action"][];
  onChange: (changes: Partial<Value>) => void;
  problems: Record<"action" | "when", string | undefined>;
}

export function RuleFields<Value extends SharedFields>(props: RuleFieldsProps<Value>) {
  const { name, value, actions, onChange, problems } = props;
  const { action, mode, enabled, when } = value;
  // A stored action is shown even if it is no longer selectable.
  const options = actions.includes(action) ? actions : [action, ...actions];
  const change = (changes: Partial<SharedFields>) => onChange(changes as Partial<Value>);
  return (
    <>
      <div className="columns">
        <SelectField
          label="Action"
          value={action}
          options={options.map((name) => [name, ACTIONS[name]] as const)}
          // The options are actions.
          onChange={(next) => change({ action: next as RuleAction })}
          problem={problems.action}
        />
        <SelectField
          label="Mode"
          value={mode ?? ""}
          options={[
            ["", "policy default"],
            ["observe", "observe"],
            ["enforce", "enforce"],
          ]}
          // The options are modes, or empty for none.
          onChange={(next) => change({ mode: (next || null) as SharedFields["mode"] })}
        />
        <ConditionKindField when={when} onChange={(next) => change({ when: next })} />
      </div>
      <ConditionFields
        of={name}
        when={when}
        onChange={(next) => change({ when: next })}
        problem={problems.when}
      />
      <CheckField
        label="Enabled"
        checked={enabled}
        onChange={(next) => change({ enabled: next })}
      />
    </>
  );
}
