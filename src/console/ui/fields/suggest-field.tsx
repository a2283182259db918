/** Text field with suggestions; other values can be typed too. */
import { useId } from "react";
import { TextField, type TextFieldProps } from "./field.tsx";

export interface Suggestion {
  value: string;
  /** Shown beside the value. */
  label?: string;
}

export function SuggestField({
  suggestions,
  ...field
}: TextFieldProps & { suggestions: readonly Suggestion[] }) {
  const id = useId();
  return (
    <>
      <TextField {...field} autoComplete="off" list={suggestions.length > 0 ? id : undefined} />
      {suggestions.length > 0 && (
        <datalist id={id}>
          {suggestions.map(({ value, label }) => (
            <option key={value} value={value} label={label} />
          ))}
        </datalist>
      )}
    </>
  );
}
