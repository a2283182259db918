/** What gates and rules share: what is done, in which mode, whether at all, and when. */

import { CheckField, SelectField } from "../ui/field.tsx";
import { ConditionField } from "./condition-field.tsx";
import type { GateDraft, RuleDraft } from "./policy-draft.ts";

type Action = GateDraft["action"];
type Shared = Pick<RuleDraft, "mode" | "enabled" | "when"> & { action: Action };

const ACTIONS: Record<Action, string> = {
  block: "block: stop it",
  ask: "ask: a person decides",
  transform: "transform: mask it",
  report: "report: only tell",
  skip: "skip: end the gates",
};

interface RuleFieldsProps<Value extends Shared> {
  name: string;
  value: Value;
  /** What may be chosen here. */
  actions: readonly Value["action"][];
  onChange: (changes: Partial<Value>) => void;
  problems: Record<"action" | "when", string | undefined>;
}

export function RuleFields<Value extends Shared>(props: RuleFieldsProps<Value>) {
  const { name, value, actions, onChange, problems } = props;
  const { action, mode, enabled, when } = value;
  // One that is stored stays to be seen, even if it could not be chosen today.
  const offered = actions.includes(action) ? actions : [action, ...actions];
  const change = (changes: Partial<Shared>) => onChange(changes as Partial<Value>);
  return (
    <>
      <div className="columns">
        <SelectField
          label="Action"
          value={action}
          options={offered.map((one) => [one, ACTIONS[one]] as const)}
          // The options are actions.
          onChange={(next) => change({ action: next as Action })}
          problem={problems.action}
        />
        <SelectField
          label="Mode"
          value={mode ?? ""}
          options={[
            ["", "as the policy"],
            ["observe", "observe"],
            ["enforce", "enforce"],
          ]}
          // The options are modes, and the empty text for none.
          onChange={(next) => change({ mode: (next || null) as Shared["mode"] })}
        />
        <ConditionField
          of={name}
          when={when}
          onChange={(next) => change({ when: next })}
          problem={problems.when}
        />
      </div>
      <CheckField
        label="Enabled"
        checked={enabled}
        onChange={(next) => change({ enabled: next })}
      />
    </>
  );
}
