/** Which policy judges, and whether always its newest version or one that stays. */
import type { Policy } from "../../contract/policies.ts";
import { SelectField, TextField } from "../ui/field.tsx";

interface PolicyPickerProps {
  policies: readonly Policy[];
  /** The empty text stands for none, and for the newest. */
  policy_id: string;
  version: string;
  onChange: (picked: { policy_id: string; version: string }) => void;
  /** What it means to pick none. Left out: one must be picked. */
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
          ["", none ?? "Choose…"],
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
          placeholder={`always the newest, now ${picked.version}`}
          hint="A number pins that version: later changes of the policy do not count here."
          value={version}
          onChange={(next) => onChange({ policy_id, version: next })}
          problem={problems.version}
        />
      )}
    </div>
  );
}
