/** Editable list of name-value pairs, such as labels and headers. */
import { Icon } from "../icon.tsx";

export type Pairs = readonly (readonly [name: string, value: string])[];

interface PairsFieldProps {
  label: string;
  hint?: string | undefined;
  pairs: Pairs;
  onChange: (pairs: Pairs) => void;
  /** Name of one row: "label". */
  noun: string;
  problem?: string | undefined;
}

export function PairsField({ label, hint, pairs, onChange, noun, problem }: PairsFieldProps) {
  const change = (at: number, pair: readonly [string, string]) =>
    onChange(pairs.map((old, index) => (index === at ? pair : old)));
  return (
    <fieldset className="field pairs">
      <legend>{label}</legend>
      {hint && <p className="hint">{hint}</p>}
      {pairs.map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
        <div className="pair" key={index}>
          <input
            aria-label={`${noun} ${index + 1}: name`}
            placeholder="name"
            value={name}
            onChange={(event) => change(index, [event.target.value, value])}
          />
          <input
            aria-label={`${noun} ${index + 1}: value`}
            placeholder="value"
            value={value}
            autoComplete="off"
            onChange={(event) => change(index, [name, event.target.value])}
          />
          <button
            type="button"
            className="button quiet"
            aria-label={`Remove ${noun} ${index + 1}`}
            onClick={() => onChange(pairs.filter((_, at) => at !== index))}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
      {problem && <p className="problem">{problem}</p>}
      <button type="button" className="button small" onClick={() => onChange([...pairs, ["", ""]])}>
        <Icon name="plus" /> Add {noun}
      </button>
    </fieldset>
  );
}

export const toPairs = (record: Readonly<Record<string, string>> | undefined): Pairs =>
  Object.entries(record ?? {});

/** Skips rows without a name. */
export const toRecord = (pairs: Pairs): Record<string, string> =>
  Object.fromEntries(pairs.filter(([name]) => name.trim() !== ""));
