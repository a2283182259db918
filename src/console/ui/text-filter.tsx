/** Text filter, applied on Enter or when the field loses the focus. */
import { useState } from "react";
import { TextField } from "./field.tsx";
import { Icon } from "./icon.tsx";

interface TextFilterProps {
  label: string;
  value: string;
  type?: "text" | "number";
  apply: (text: string) => void;
}

export function TextFilter({ label, value, type = "text", apply }: TextFilterProps) {
  const [text, setText] = useState(value);
  const applyText = () => {
    if (text.trim() !== value) apply(text.trim());
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        applyText();
      }}
      onBlur={applyText}
    >
      <TextField
        label={label}
        value={text}
        onChange={setText}
        autoComplete="off"
        type={type}
        placeholder="any"
      />
      <button type="submit" className="visually-hidden" tabIndex={-1}>
        <Icon name="search" /> Filter by {label}
      </button>
    </form>
  );
}
