/** Editable list of objects, each with its own fields. */
import type { AppError } from "../../../contract/errors.ts";
import { findProblem } from "../find-problem.ts";
import { Icon } from "../icon.tsx";
import { type Rows, type Schema, type SchemaDraft, toRow } from "./schema-draft.ts";
import { SchemaFields } from "./schema-fields.tsx";

interface RowsFieldProps {
  label: string;
  hint: string;
  /** Name of one row: "rule". */
  noun: string;
  property: Schema;
  rows: readonly SchemaDraft[];
  onChange: (rows: Rows) => void;
  error: AppError | undefined;
  at: string;
}

export function RowsField({
  label,
  hint,
  noun,
  property,
  rows,
  onChange,
  error,
  at,
}: RowsFieldProps) {
  const problem = findProblem(error, at);
  const replace = (position: number, row: SchemaDraft) =>
    onChange({ rows: rows.map((old, index) => (index === position ? row : old)) });
  const newRow = () => toRow(property)(defaultChoices(property, rows));
  return (
    <fieldset className="field pairs">
      <legend>{label}</legend>
      {hint && <p className="hint">{hint}</p>}
      {problem && <p className="problem">{problem}</p>}
      {rows.length > 0 && (
        <ol className="attached">
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
            <li key={index}>
              <fieldset className="plain">
                <legend className="visually-hidden">
                  {noun} {index + 1}
                </legend>
                <div className="attached-head">
                  <strong aria-hidden="true">
                    {noun} {index + 1}
                  </strong>
                  <div className="attached-acts">
                    <button
                      type="button"
                      className="button quiet"
                      aria-label={`Remove ${noun} ${index + 1}`}
                      onClick={() =>
                        onChange({ rows: rows.filter((_, position) => position !== index) })
                      }
                    >
                      <Icon name="cross" />
                    </button>
                  </div>
                </div>
                <div className="columns">
                  <SchemaFields
                    schema={property.items ?? {}}
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
        onClick={() => onChange({ rows: [...rows, newRow()] })}
      >
        <Icon name="plus" /> Add {noun}
      </button>
    </fieldset>
  );
}

/** Sets each required choice to the first option that no row uses yet. */
function defaultChoices({ items }: Schema, rows: readonly SchemaDraft[]): Record<string, unknown> {
  const choices = Object.entries(items?.properties ?? {}).flatMap(([name, property]) => {
    if (!property.enum || !items?.required?.includes(name)) return [];
    const free = property.enum.find((option) => rows.every((row) => row[name] !== option));
    return [[name, free ?? property.enum[0]] as const];
  });
  return Object.fromEntries(choices);
}
