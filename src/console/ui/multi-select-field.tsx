/** Some of a set of names: boxes to tick where they are few, a menu where they are many. */
import { type ReactNode, useId } from "react";
import { CheckField } from "./field.tsx";
import { Icon } from "./icon.tsx";
import type { Selection } from "./schema-draft.ts";

interface MultiSelectFieldProps {
  label: string;
  hint: ReactNode;
  /** What one name stands for. */
  one: string;
  names: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: Selection) => void;
  problem: string | undefined;
}

const FEW = 12;

export function MultiSelectField(props: MultiSelectFieldProps) {
  const { label, hint, names, problem } = props;
  return (
    <fieldset className="field choices">
      <legend>{label}</legend>
      {hint && <p className="hint">{hint}</p>}
      {names.length <= FEW ? <Boxes {...props} /> : <Menu {...props} />}
      {problem && <p className="problem">{problem}</p>}
    </fieldset>
  );
}

function Boxes({ names, chosen, onChange }: MultiSelectFieldProps) {
  return names.map((name) => (
    <CheckField
      key={name}
      label={name.replaceAll("_", " ")}
      checked={chosen.includes(name)}
      // In the order of the set.
      onChange={(on) =>
        onChange({ selected: names.filter((one) => (one === name ? on : chosen.includes(one))) })
      }
    />
  ));
}

function Menu({ one, names, chosen, onChange }: MultiSelectFieldProps) {
  const id = useId();
  const free = names.filter((name) => !chosen.includes(name));
  return (
    <>
      <ul className="chips">
        {chosen.map((name) => (
          <li key={name} className="chip">
            {name.replaceAll("_", " ")}
            <button
              type="button"
              className="chip-act"
              aria-label={`Remove ${name.replaceAll("_", " ")}`}
              onClick={() => onChange({ selected: chosen.filter((other) => other !== name) })}
            >
              <Icon name="cross" />
            </button>
          </li>
        ))}
      </ul>
      <label className="visually-hidden" htmlFor={id}>
        Add {one}
      </label>
      <select
        id={id}
        value=""
        onChange={(event) => onChange({ selected: [...chosen, event.target.value] })}
      >
        <option value="">Add {one}…</option>
        {free.map((name) => (
          <option key={name} value={name}>
            {name.replaceAll("_", " ")}
          </option>
        ))}
      </select>
    </>
  );
}
