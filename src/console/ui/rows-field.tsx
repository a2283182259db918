/** A list of objects: each a small form of its own, added and taken away. */
import type { AppError } from "../../contract/errors.ts";
import { findProblem } from "./form.tsx";
import { Icon } from "./icon.tsx";
import { type Rows, type Schema, type SchemaDraft, toRow } from "./schema-draft.ts";
import { SchemaFields } from "./schema-fields.tsx";

interface RowsFieldProps {
  label: string;
  hint: string;
  /** What one row is called. */
  one: string;
  member: Schema;
  rows: readonly SchemaDraft[];
  onChange: (rows: Rows) => void;
  error: AppError | undefined;
  at: string;
}

export function RowsField({ label, hint, one, member, rows, onChange, error, at }: RowsFieldProps) {
  const problem = findProblem(error, at);
  const replace = (place: number, row: SchemaDraft) =>
    onChange({ rows: rows.map((old, index) => (index === place ? row : old)) });
  const fresh = () => toRow(member)(firstChoices(member, rows));
  return (
    <fieldset className="field pairs">
      <legend>{label}</legend>
      {hint && <p className="hint">{hint}</p>}
      {problem && <p className="problem">{problem}</p>}
      {rows.length > 0 && (
        <ol className="attached">
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity while it is typed
            <li key={index}>
              <fieldset className="plain">
                <legend className="visually-hidden">
                  {one} {index + 1}
                </legend>
                <div className="attached-head">
                  <strong aria-hidden="true">
                    {one} {index + 1}
                  </strong>
                  <div className="attached-acts">
                    <button
                      type="button"
                      className="button quiet"
                      aria-label={`Remove ${one} ${index + 1}`}
                      onClick={() => onChange({ rows: rows.filter((_, place) => place !== index) })}
                    >
                      <Icon name="cross" />
                    </button>
                  </div>
                </div>
                <div className="columns">
                  <SchemaFields
                    schema={member.items ?? {}}
                    draft={row}
                    onChange={(next) => replace(index, next)}
                    error={error}
                    at={`${at}[${index}]`}
                  />
                </div>
              </fieldset>
            </li>
          ))}
        </ol>
      )}
      <button
        type="button"
        className="button small"
        onClick={() => onChange({ rows: [...rows, fresh()] })}
      >
        <Icon name="plus" /> Add {one}
      </button>
    </fieldset>
  );
}

/** A required choice begins with the first name that no row has yet. */
function firstChoices({ items }: Schema, rows: readonly SchemaDraft[]): Record<string, unknown> {
  const choices = Object.entries(items?.properties ?? {}).flatMap(([name, member]) => {
    if (!member.enum || !items?.required?.includes(name)) return [];
    const free = member.enum.find((option) => rows.every((row) => row[name] !== option));
    return [[name, free ?? member.enum[0]] as const];
  });
  return Object.fromEntries(choices);
}
