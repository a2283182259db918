/** One object inside of a form: its members stand together under its name. */
import type { AppError } from "../../contract/errors.ts";
import { findProblem } from "./form.tsx";
import { type Group, isBlankGroup, type Schema, type SchemaDraft } from "./schema-draft.ts";
import { SchemaFields } from "./schema-fields.tsx";

interface GroupFieldProps {
  label: string;
  hint: string;
  member: Schema;
  group: SchemaDraft;
  /** It is always there; one that is not is made by filling it. */
  required: boolean;
  onChange: (group: Group) => void;
  error: AppError | undefined;
  at: string;
}

export function GroupField(props: GroupFieldProps) {
  const { label, hint, member, group, required, onChange, error, at } = props;
  const problem = findProblem(error, at);
  return (
    <fieldset className="field group">
      <legend>{required ? label : `${label} (optional)`}</legend>
      {hint && <p className="hint">{hint}</p>}
      {problem && <p className="problem">{problem}</p>}
      <div className="columns">
        <SchemaFields
          schema={member}
          draft={group}
          onChange={(next) => onChange({ group: next })}
          error={error}
          at={at}
          unasked={!required && isBlankGroup(member, { group })}
        />
      </div>
    </fieldset>
  );
}
