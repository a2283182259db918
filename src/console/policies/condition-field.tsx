/** When does a gate or rule apply? */
import { useId } from "react";
import type { Operator } from "../../contract/conditions.ts";
import { AreaField, SelectField } from "../ui/field.tsx";
import { numberEntries } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import {
  type ConditionDraft,
  type ConditionLine,
  FIELD_LABELS,
  joinLines,
  newLine,
  OPERATOR_LABELS,
} from "./condition-draft.ts";

interface ConditionFieldProps {
  /** Whose condition it is, for screen readers. */
  of: string;
  when: ConditionDraft;
  onChange: (when: ConditionDraft) => void;
  problem: string | undefined;
}

const HOW: Record<ConditionDraft["how"], string> = {
  always: "always",
  all: "when all of these hold",
  any: "when any of these holds",
  json: "when this JSON says so",
};

export function ConditionField({ of, when, onChange, problem }: ConditionFieldProps) {
  return (
    <>
      <SelectField
        label="Applies"
        value={when.how}
        options={Object.entries(HOW)}
        // The options are the keys of HOW.
        onChange={(how) => onChange(turned(when, how as ConditionDraft["how"]))}
      />
      {when.how === "json" && (
        <div className="whole-row">
          <AreaField
            label="Condition"
            code
            rows={Math.min(16, when.text.split("\n").length + 1)}
            hint="{all: […]}, {any: […]}, {not: …} or {field, op, value}, inside of each other."
            value={when.text}
            onChange={(text) => onChange({ how: "json", text })}
            problem={problem}
          />
        </div>
      )}
      {(when.how === "all" || when.how === "any") && (
        <Lines
          of={of}
          lines={when.lines}
          onChange={(lines) => onChange({ how: when.how, lines })}
          problem={problem}
        />
      )}
    </>
  );
}

/** What was typed is taken along where it can be. */
function turned(when: ConditionDraft, how: ConditionDraft["how"]): ConditionDraft {
  if (how === "always") return { how };
  if (how !== "json") return { how, lines: "lines" in when ? when.lines : [newLine()] };
  if ("text" in when) return when;
  const said = when.kept ?? ("lines" in when ? joinLines(when) : newLine());
  return { how, text: JSON.stringify(said, null, 2) };
}

interface LinesProps {
  of: string;
  lines: readonly ConditionLine[];
  onChange: (lines: readonly ConditionLine[]) => void;
  problem: string | undefined;
}

function Lines({ of, lines, onChange, problem }: LinesProps) {
  const fields = useId();
  const change = (at: number, changes: Partial<ConditionLine>) =>
    onChange(lines.map((line, index) => (index === at ? { ...line, ...changes } : line)));
  return (
    <fieldset className="field pairs whole-row">
      <legend className="visually-hidden">Condition of {of}</legend>
      <datalist id={fields}>
        {Object.entries(FIELD_LABELS).map(([name, about]) => (
          <option key={name} value={name}>
            {about}
          </option>
        ))}
      </datalist>
      {lines.map(({ field, op, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity while it is typed
        <div className="pair comparison" key={index}>
          <input
            aria-label={`Comparison ${index + 1}: field`}
            list={fields}
            value={field}
            spellCheck={false}
            onChange={(event) => change(index, { field: event.target.value })}
          />
          <select
            aria-label={`Comparison ${index + 1}: how`}
            value={op}
            // The options are the keys of OPERATORS.
            onChange={(event) => change(index, { op: event.target.value as Operator })}
          >
            {Object.entries(OPERATOR_LABELS).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
          <input
            aria-label={`Comparison ${index + 1}: value`}
            placeholder={op === "in" ? "one, another" : "value"}
            value={value}
            spellCheck={false}
            onChange={(event) => change(index, { value: event.target.value })}
          />
          <button
            type="button"
            className="button quiet"
            aria-label={`Remove comparison ${index + 1}`}
            disabled={lines.length === 1}
            onClick={() => onChange(lines.filter((_, at) => at !== index))}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
      {problem && <p className="problem">{numberEntries(problem, "Comparison")}</p>}
      <button
        type="button"
        className="button small"
        onClick={() => onChange([...lines, newLine()])}
      >
        <Icon name="plus" /> Add comparison
      </button>
    </fieldset>
  );
}
