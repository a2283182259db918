/** Selects one of a few options, each with a description. */
import { type ReactNode, useId } from "react";

export interface RadioOption<Value extends string> {
  value: Value;
  label: string;
  hint?: ReactNode;
}

interface RadioFieldProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly RadioOption<Value>[];
  onChange: (value: Value) => void;
}

export function RadioField<Value extends string>(props: RadioFieldProps<Value>) {
  const { label, value, options, onChange } = props;
  const id = useId();
  return (
    <fieldset className="field">
      <legend>{label}</legend>
      <div className="radios">
        {options.map((option) => (
          <div className="radio" key={option.value}>
            <input
              type="radio"
              id={`${id}-${option.value}`}
              name={id}
              checked={option.value === value}
              aria-describedby={option.hint ? `${id}-${option.value}-hint` : undefined}
              onChange={() => onChange(option.value)}
            />
            <div>
              <label htmlFor={`${id}-${option.value}`}>{option.label}</label>
              {option.hint && (
                <p className="hint" id={`${id}-${option.value}-hint`}>
                  {option.hint}
                </p>
              )}
            </div>
          </div>
        ))}
      </div>
    </fieldset>
  );
}
