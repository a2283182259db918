/** Condition of a gate or rule. */
import { useId } from "react";
import type { Operator } from "../../contract/guard/conditions.ts";
import { AreaField, SelectField } from "../ui/field.tsx";
import { numberEntries } from "../ui/find-problem.ts";
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
  /** Name of the gate or rule, for screen readers. */
  of: string;
  when: ConditionDraft;
  onChange: (when: ConditionDraft) => void;
  problem: string | undefined;
}

const KIND_LABELS: Record<ConditionDraft["kind"], string> = {
  always: "always",
  all: "when all of these match",
  any: "when any of these matches",
  json: "when this JSON condition matches",
};

export function ConditionField({ of, when, onChange, problem }: ConditionFieldProps) {
  return (
    <>
      <SelectField
        label="Applies"
        value={when.kind}
        options={Object.entries(KIND_LABELS)}
        // The options are the keys of KIND_LABELS.
        onChange={(kind) => onChange(convert(when, kind as ConditionDraft["kind"]))}
      />
      {when.kind === "json" && (
        <div className="whole-row">
          <AreaField
            label="Condition"
            code
            rows={Math.min(16, when.text.split("\n").length + 1)}
            hint="{all: […]}, {any: […]}, {not: …} or {field, op, value}, nested as needed."
            value={when.text}
            onChange={(text) => onChange({ kind: "json", text })}
            problem={problem}
          />
        </div>
      )}
      {(when.kind === "all" || when.kind === "any") && (
        <Lines
          of={of}
          lines={when.lines}
          onChange={(lines) => onChange({ kind: when.kind, lines })}
          problem={problem}
        />
      )}
    </>
  );
}

/** Converts the draft to another kind, and keeps what it can express. */
function convert(when: ConditionDraft, kind: ConditionDraft["kind"]): ConditionDraft {
  if (kind === "always") return { kind };
  if (kind !== "json") return { kind, lines: "lines" in when ? when.lines : [newLine()] };
  if ("text" in when) return when;
  const condition = when.stored ?? ("lines" in when ? joinLines(when) : newLine());
  return { kind, text: JSON.stringify(condition, null, 2) };
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
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
        <div className="pair comparison" key={index}>
          <input
            aria-label={`Comparison ${index + 1}: field`}
            list={fields}
            value={field}
            spellCheck={false}
            onChange={(event) => change(index, { field: event.target.value })}
          />
          <select
            aria-label={`Comparison ${index + 1}: operator`}
            value={op}
            // The options are the keys of OPERATOR_LABELS.
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
