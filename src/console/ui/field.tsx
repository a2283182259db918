/** One question of a form: its label, what to know about it, and what was wrong with the answer. */
import { type ReactNode, useId } from "react";

interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** What the server said about this member. */
  problem?: string | undefined;
}

interface Described {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

export function Field({
  label,
  hint,
  problem,
  children,
}: FieldProps & { children: (described: Described) => ReactNode }) {
  const id = useId();
  const about = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-describedby": about || undefined,
        "aria-invalid": problem ? true : undefined,
      })}
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p className="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  type?: "text" | "url" | "password" | "number" | "date";
  required?: boolean;
  disabled?: boolean;
  placeholder?: string | undefined;
  autoComplete?: string;
  min?: number | string | undefined;
  max?: number | string | undefined;
  step?: "any" | undefined;
}

export function TextField({
  label,
  hint,
  problem,
  onChange,
  type = "text",
  ...input
}: TextFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(described) => (
        <input
          {...described}
          {...input}
          type={type}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

interface AreaFieldProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  rows: number;
  /** In letters of one width. */
  code?: boolean;
  required?: boolean;
  disabled?: boolean;
}

/** A text of many lines. */
export function AreaField({ label, hint, problem, onChange, code, ...area }: AreaFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(described) => (
        <textarea
          {...described}
          {...area}
          className={code ? "code" : undefined}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

interface SelectFieldProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  options: readonly (readonly [value: string, text: string])[];
  required?: boolean;
  disabled?: boolean;
}

export function SelectField({
  label,
  hint,
  problem,
  value,
  onChange,
  options,
  ...select
}: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(described) => (
        <select
          {...described}
          {...select}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckFieldProps {
  label: string;
  hint?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

export function CheckField({ label, hint, checked, onChange, disabled }: CheckFieldProps) {
  const id = useId();
  return (
    <div className="check">
      <input
        type="checkbox"
        id={id}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p className="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
