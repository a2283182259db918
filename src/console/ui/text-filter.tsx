/** Text filter, applied on Enter, when the field loses the focus, or when a suggestion is selected. */
import { useState } from "react";
import { SuggestField } from "./fields/suggest-field.tsx";
import { Icon } from "./icon.tsx";

interface TextFilterProps {
  label: string;
  value: string;
  type?: "text" | "number";
  suggestions?: readonly string[];
  apply: (text: string) => void;
}

export function TextFilter({
  label,
  value,
  type = "text",
  suggestions = [],
  apply,
}: TextFilterProps) {
  const [text, setText] = useState(value);
  const applyText = (next: string) => {
    if (next.trim() !== value) apply(next.trim());
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        applyText(text);
      }}
      onBlur={() => applyText(text)}
    >
      <SuggestField
        label={label}
        value={text}
        onChange={(next) => {
          setText(next);
          if (suggestions.includes(next)) applyText(next);
        }}
        type={type}
        placeholder="any"
        suggestions={suggestions.map((value) => ({ value }))}
      />
      <button type="submit" className="visually-hidden" tabIndex={-1}>
        <Icon name="search" /> Filter by {label}
      </button>
    </form>
  );
}
