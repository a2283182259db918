/** Words that a detector finds: one per line, exact or also misspelled. */
import { AreaField } from "../ui/fields/field.tsx";
import { RadioField } from "../ui/fields/radio-field.tsx";
import { numberEntries } from "../ui/find-problem.ts";
import type { SettingsFieldsProps } from "./detector-settings.tsx";

/** Allows one wrong letter in a word of five. */
const MISSPELLED = "0.8";

export function WordsFields({ draft, onChange, problem }: SettingsFieldsProps) {
  const keywords = String(draft.keywords ?? "");
  const threshold = String(draft.similarity_threshold ?? "");
  const isExact = threshold === "" || threshold === "1";
  return (
    <>
      <AreaField
        label="Words and phrases"
        hint="One per line. Upper and lower case are the same. Look-alike letters, invisible characters, spaced letters and encoded words match too."
        rows={Math.min(12, Math.max(4, keywords.split("\n").length))}
        value={keywords}
        onChange={(next) => onChange({ ...draft, keywords: next })}
        problem={numberEntries(problem("keywords"), "Line")}
      />
      <RadioField
        label="Matching"
        value={isExact ? "exact" : "fuzzy"}
        options={[
          { value: "exact", label: "Exact", hint: "The word as it is written above." },
          {
            value: "fuzzy",
            label: "Also misspelled",
            hint: "One wrong letter in a word of five, at most two in a longer word.",
          },
        ]}
        onChange={(value) =>
          onChange({ ...draft, similarity_threshold: value === "exact" ? "1" : MISSPELLED })
        }
      />
    </>
  );
}
