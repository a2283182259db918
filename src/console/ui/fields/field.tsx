/** Form fields with a label, a hint, and the error of the server. */
import { type ReactNode, useId } from "react";

interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** The server's message about this field. */
  problem?: string | undefined;
}

interface InputAttributes {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

export function Field({
  label,
  hint,
  problem,
  children,
}: FieldProps & { children: (attributes: InputAttributes) => ReactNode }) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-describedby": describedBy || undefined,
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

export interface TextFieldProps extends FieldProps {
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
  /** Id of a `datalist` with suggestions. */
  list?: string | undefined;
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
      {(attributes) => (
        <input
          {...attributes}
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
  /** Monospaced. */
  code?: boolean;
  required?: boolean;
  disabled?: boolean;
}

/** Multi-line text. */
export function AreaField({ label, hint, problem, onChange, code, ...area }: AreaFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(attributes) => (
        <textarea
          {...attributes}
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
      {(attributes) => (
        <select
          {...attributes}
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
