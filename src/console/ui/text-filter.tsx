/** A filter that is typed; it is applied when it is finished: by Enter, or by leaving the field. */
import { useState } from "react";
import { TextField } from "./field.tsx";
import { Icon } from "./icon.tsx";

interface TextFilterProps {
  label: string;
  given: string;
  type?: "text" | "number";
  apply: (text: string) => void;
}

export function TextFilter({ label, given, type = "text", apply }: TextFilterProps) {
  const [text, setText] = useState(given);
  const finish = () => {
    if (text.trim() !== given) apply(text.trim());
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        finish();
      }}
      onBlur={finish}
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
