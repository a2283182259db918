/** Fields for the name and mode of a policy. */
import type { AppError } from "../../contract/errors.ts";
import type { Mode } from "../../contract/guard/policies.ts";
import { SelectField, TextField } from "../ui/fields/field.tsx";
import { findProblem } from "../ui/find-problem.ts";

interface PolicyIdentityFieldsProps {
  name: string;
  mode: Mode;
  onChange: (changed: { name: string; mode: Mode }) => void;
  error: AppError | undefined;
}

const MODES: Record<Mode, string> = {
  observe: "Observe",
  enforce: "Enforce",
};
const MODE_HINTS: Record<Mode, string> = {
  observe: "Nothing is blocked or changed. The action that would apply is returned and recorded.",
  enforce: "The actions of gates and rules apply: block, ask and mask.",
};

export function PolicyIdentityFields({ name, mode, onChange, error }: PolicyIdentityFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        required
        value={name}
        onChange={(next) => onChange({ name: next, mode })}
        problem={findProblem(error, "name")}
      />
      <SelectField
        label="Mode"
        value={mode}
        options={Object.entries(MODES)}
        hint={MODE_HINTS[mode]}
        // The options are the keys of MODES.
        onChange={(next) => onChange({ name, mode: next as Mode })}
      />
    </>
  );
}
