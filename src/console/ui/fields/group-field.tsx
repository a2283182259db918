/** Fields of a nested object, grouped under its name. */
import type { AppError } from "../../../contract/errors.ts";
import { findProblem } from "../find-problem.ts";
import { type Group, isBlankGroup, type Schema, type SchemaDraft } from "./schema-draft.ts";
import { SchemaFields } from "./schema-fields.tsx";

interface GroupFieldProps {
  label: string;
  hint: string;
  property: Schema;
  group: SchemaDraft;
  /** False: the object is omitted while all its fields are empty. */
  required: boolean;
  onChange: (group: Group) => void;
  error: AppError | undefined;
  at: string;
}

export function GroupField(props: GroupFieldProps) {
  const { label, hint, property, group, required, onChange, error, at } = props;
  const problem = findProblem(error, at);
  return (
    <fieldset className="field group">
      <legend>{required ? label : `${label} (optional)`}</legend>
      {hint && <p className="hint">{hint}</p>}
      {problem && <p className="problem">{problem}</p>}
      <div className="columns">
        <SchemaFields
          schema={property}
          draft={group}
          onChange={(next) => onChange({ group: next })}
          error={error}
          at={at}
          isOptionalGroup={!required && isBlankGroup(property, { group })}
        />
      </div>
    </fieldset>
  );
}
