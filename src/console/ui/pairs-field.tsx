/** Names with values, such as labels and headers: rows that are added and taken away. */
import { Icon } from "./icon.tsx";

export type Pairs = readonly (readonly [name: string, value: string])[];

interface PairsFieldProps {
  label: string;
  hint?: string | undefined;
  pairs: Pairs;
  onChange: (pairs: Pairs) => void;
  /** What one row is called. */
  one: string;
  problem?: string | undefined;
}

export function PairsField({ label, hint, pairs, onChange, one, problem }: PairsFieldProps) {
  const change = (at: number, pair: readonly [string, string]) =>
    onChange(pairs.map((old, index) => (index === at ? pair : old)));
  return (
    <fieldset className="field pairs">
      <legend>{label}</legend>
      {hint && <p className="hint">{hint}</p>}
      {pairs.map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity while it is typed
        <div className="pair" key={index}>
          <input
            aria-label={`${one} ${index + 1}: name`}
            placeholder="name"
            value={name}
            onChange={(event) => change(index, [event.target.value, value])}
          />
          <input
            aria-label={`${one} ${index + 1}: value`}
            placeholder="value"
            value={value}
            autoComplete="off"
            onChange={(event) => change(index, [name, event.target.value])}
          />
          <button
            type="button"
            className="button quiet"
            aria-label={`Remove ${one} ${index + 1}`}
            onClick={() => onChange(pairs.filter((_, at) => at !== index))}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
      {problem && <p className="problem">{problem}</p>}
      <button type="button" className="button small" onClick={() => onChange([...pairs, ["", ""]])}>
        <Icon name="plus" /> Add {one}
      </button>
    </fieldset>
  );
}

export const toPairs = (record: Readonly<Record<string, string>> | undefined): Pairs =>
  Object.entries(record ?? {});

/** Rows without a name are not meant yet. */
export const toRecord = (pairs: Pairs): Record<string, string> =>
  Object.fromEntries(pairs.filter(([name]) => name.trim() !== ""));
