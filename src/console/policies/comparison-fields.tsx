/** One comparison of a condition: a field, an operator and a value. */
import { useId } from "react";
import type { Direction, Protocol } from "../../contract/guard/evaluate.ts";
import { Icon } from "../ui/icon.tsx";
import { type ConditionLine, hasNoValue } from "./condition-draft.ts";
import { ARGUMENT_PREFIX, FIELD_LABELS, OPERATOR_LABELS } from "./policy-sentences.ts";

interface ComparisonFieldsProps {
  /** Position in the condition: "2.1". */
  number: string;
  line: ConditionLine;
  onChange: (line: ConditionLine) => void;
  /** Undefined: it is the only one. */
  onRemove: (() => void) | undefined;
  isInvalid: boolean;
}

const OPERATORS: Record<ConditionLine["op"], string> = {
  ...OPERATOR_LABELS,
  empty: "is empty",
  not_empty: "is not empty",
};

export function ComparisonFields(props: ComparisonFieldsProps) {
  const { number, line, onChange, onRemove, isInvalid } = props;
  const { field, op } = line;
  /** Drops the stored comparison. */
  const change = (changes: Partial<ConditionLine>) => {
    const { stored: _, ...rest } = line;
    onChange({ ...rest, ...changes });
  };
  const isArgument = field.startsWith(ARGUMENT_PREFIX);
  const isListed = isArgument || field in FIELD_LABELS;
  const name = `Comparison ${number}`;
  return (
    <div className={isArgument ? "pair comparison with-argument" : "pair comparison"}>
      <select
        aria-label={`${name}: field`}
        value={isArgument ? ARGUMENT_PREFIX : field}
        onChange={(event) => change({ field: event.target.value })}
      >
        {!isListed && <option value={field}>{field}</option>}
        {Object.entries(FIELD_LABELS).map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
        <option value={ARGUMENT_PREFIX}>tool argument…</option>
      </select>
      {isArgument && (
        <input
          aria-label={`${name}: argument`}
          placeholder="name of the argument"
          value={field.slice(ARGUMENT_PREFIX.length)}
          spellCheck={false}
          required
          onChange={(event) => change({ field: ARGUMENT_PREFIX + event.target.value })}
        />
      )}
      <select
        aria-label={`${name}: operator`}
        value={op}
        // The options are the keys of OPERATORS.
        onChange={(event) => change(withOperator(event.target.value as ConditionLine["op"], line))}
      >
        {Object.entries(OPERATORS).map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      <ValueField
        label={`${name}: value`}
        line={line}
        isInvalid={isInvalid}
        onChange={(next) => change({ value: next })}
      />
      <button
        type="button"
        className="button quiet"
        aria-label={`Remove comparison ${number}`}
        disabled={!onRemove}
        onClick={onRemove}
      >
        <Icon name="cross" />
      </button>
    </div>
  );
}

/** Joins the lines of a list when the new operator compares with one value. */
const withOperator = (
  op: ConditionLine["op"],
  { value, isJson }: ConditionLine,
): Partial<ConditionLine> => ({
  op,
  value: op === "in" || isJson ? value : value.split("\n").join(", "),
});

interface ValueFieldProps {
  label: string;
  line: ConditionLine;
  isInvalid: boolean;
  onChange: (value: string) => void;
}

function ValueField({ label, line, isInvalid, onChange }: ValueFieldProps) {
  const id = useId();
  if (hasNoValue(line)) return <span />;
  const { field, op, value, isJson } = line;
  const shared = {
    "aria-label": isJson ? `${label} as JSON` : label,
    "aria-invalid": isInvalid || undefined,
    value,
    spellCheck: false,
  };
  const known = KNOWN_VALUES[field];
  return op === "in" || isJson ? (
    <textarea
      {...shared}
      className={isJson && "code"}
      placeholder={isJson ? "JSON" : "one value per line"}
      rows={Math.min(6, Math.max(2, value.split("\n").length))}
      onChange={(event) => onChange(event.target.value)}
    />
  ) : (
    <>
      <input
        {...shared}
        placeholder={known?.join(" or ") ?? "value"}
        list={known && id}
        onChange={(event) => onChange(event.target.value)}
      />
      {known && (
        <datalist id={id}>
          {known.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  );
}

const DIRECTIONS: readonly Direction[] = ["input", "output"];
const PROTOCOLS: readonly Protocol[] = ["llm", "mcp", "a2a"];
const KNOWN_VALUES: Record<string, readonly string[]> = {
  direction: DIRECTIONS,
  protocol: PROTOCOLS,
};
