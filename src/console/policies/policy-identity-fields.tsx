/** The name of a policy, and whether it acts or only watches. */
import type { AppError } from "../../contract/errors.ts";
import type { Mode } from "../../contract/policies.ts";
import { SelectField, TextField } from "../ui/field.tsx";
import { findProblem } from "../ui/form.tsx";

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
const MEANING: Record<Mode, string> = {
  observe: "Nothing is stopped or rewritten. What would have been done is told and recorded.",
  enforce: "Verdicts count: what its gates and rules block, ask about or mask is so.",
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
        hint={MEANING[mode]}
        // The options are the keys of MODES.
        onChange={(next) => onChange({ name, mode: next as Mode })}
      />
    </>
  );
}
