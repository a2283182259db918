/** Selects a policy, and its latest or a pinned version. */
import type { Policy } from "../../contract/guard/policies.ts";
import { SelectField, TextField } from "../ui/fields/field.tsx";

interface PolicyPickerProps {
  policies: readonly Policy[];
  /** Empty: none. */
  policy_id: string;
  /** Empty: the latest. */
  version: string;
  onChange: (picked: { policy_id: string; version: string }) => void;
  /** Label of the empty option. Undefined: a policy is required. */
  none?: string;
  problems: { policy: string | undefined; version: string | undefined };
}

export function PolicyPicker(props: PolicyPickerProps) {
  const { policies, policy_id, version, onChange, none, problems } = props;
  const picked = policies.find(({ id }) => id === policy_id);
  return (
    <div className="columns">
      <SelectField
        label="Policy"
        value={policy_id}
        options={[
          ["", none ?? "Select…"],
          ...policies.map(({ id, name, mode }) => [id, `${name} (${mode})`] as const),
        ]}
        required={none === undefined}
        onChange={(next) => onChange({ policy_id: next, version: "" })}
        problem={problems.policy}
      />
      {picked && (
        <TextField
          label="Version"
          type="number"
          min={1}
          max={picked.version}
          placeholder={`latest (now ${picked.version})`}
          hint="Enter a number to pin that version. Later changes of the policy do not apply then."
          value={version}
          onChange={(next) => onChange({ policy_id, version: next })}
          problem={problems.version}
        />
      )}
    </div>
  );
}
