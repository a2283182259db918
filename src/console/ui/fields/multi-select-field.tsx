/** Selects some of a set of names: with checkboxes, or with a menu if there are many. */
import { type ReactNode, useId } from "react";
import { Icon } from "../icon.tsx";
import { CheckField } from "./field.tsx";
import type { Selection } from "./schema-draft.ts";

interface MultiSelectFieldProps {
  label: string;
  hint: ReactNode;
  /** Name of one entry: "format". */
  noun: string;
  names: readonly string[];
  selected: readonly string[];
  onChange: (selection: Selection) => void;
  problem: string | undefined;
}

const MAX_CHECKBOXES = 12;

export function MultiSelectField(props: MultiSelectFieldProps) {
  const { label, hint, names, problem } = props;
  return (
    <fieldset className="field choices">
      <legend>{label}</legend>
      {hint && <p className="hint">{hint}</p>}
      {names.length <= MAX_CHECKBOXES ? <Checkboxes {...props} /> : <Menu {...props} />}
      {problem && <p className="problem">{problem}</p>}
    </fieldset>
  );
}

function Checkboxes({ names, selected, onChange }: MultiSelectFieldProps) {
  return names.map((name) => (
    <CheckField
      key={name}
      label={name.replaceAll("_", " ")}
      checked={selected.includes(name)}
      // Keeps the order of the set.
      onChange={(on) =>
        onChange({
          selected: names.filter((other) => (other === name ? on : selected.includes(other))),
        })
      }
    />
  ));
}

function Menu({ noun, names, selected, onChange }: MultiSelectFieldProps) {
  const id = useId();
  const free = names.filter((name) => !selected.includes(name));
  return (
    <>
      <ul className="chips">
        {selected.map((name) => (
          <li key={name} className="chip">
            {name.replaceAll("_", " ")}
            <button
              type="button"
              className="chip-act"
              aria-label={`Remove ${name.replaceAll("_", " ")}`}
              onClick={() => onChange({ selected: selected.filter((other) => other !== name) })}
            >
              <Icon name="cross" />
            </button>
          </li>
        ))}
      </ul>
      <label className="visually-hidden" htmlFor={id}>
        Add {noun}
      </label>
      <select
        id={id}
        value=""
        onChange={(event) => onChange({ selected: [...selected, event.target.value] })}
      >
        <option value="">Add {noun}…</option>
        {free.map((name) => (
          <option key={name} value={name}>
            {name.replaceAll("_", " ")}
          </option>
        ))}
      </select>
    </>
  );
}
