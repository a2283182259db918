/** Selects how much a learned detector reports: a level, or a threshold of its own. */
import { TextField } from "../ui/fields/field.tsx";
import { RadioField } from "../ui/fields/radio-field.tsx";
import type { SettingsFieldsProps } from "./detector-settings.tsx";

const LABELS = {
  permissive: "Permissive",
  balanced: "Balanced",
  strict: "Strict",
  custom: "Custom threshold",
} as const;
type Choice = keyof typeof LABELS;

const OF_ORDINARY_TEXT: Record<Choice, string> = {
  permissive: "Fewest false alarms, and more attacks are missed.",
  balanced: "Recommended for rules that report.",
  strict: "Finds the most, with the most false alarms. Use it to report rather than block.",
  custom: "Report from a score that you set.",
};

/** Descriptions of kinds whose levels mean something else. */
const HINTS: Record<string, Record<Choice, string>> = {
  system_prompt_leak: {
    permissive: "Reports about 48 repeated words in a row, or 80 % of a short system prompt.",
    balanced: "Recommended: about 24 repeated words in a row, or 40 % of a short system prompt.",
    strict: "Reports about 9 repeated words in a row.",
    custom: "Report from a share of the system prompt that you set.",
  },
  multi_turn_risk: {
    permissive: "Reports a session whose risk reaches 0.95.",
    balanced: "Recommended: reports a session whose risk reaches 0.85.",
    strict: "Reports a session whose risk reaches 0.7.",
    custom: "Report from a risk that you set.",
  },
};

export function LevelField({ kind, draft, onChange, problem }: SettingsFieldsProps) {
  const threshold = String(draft.threshold ?? "");
  const isCustom = threshold !== "";
  const hints = HINTS[kind] ?? OF_ORDINARY_TEXT;
  return (
    <>
      <RadioField
        label="Level"
        // The stored level is one of the choices.
        value={isCustom ? "custom" : ((draft.level || "balanced") as Choice)}
        options={(Object.keys(LABELS) as Choice[]).map((value) => ({
          value,
          label: LABELS[value],
          hint: hints[value],
        }))}
        onChange={(value) =>
          onChange(
            value === "custom"
              ? { ...draft, threshold: "0.5" }
              : { ...draft, level: value, threshold: "" },
          )
        }
      />
      {isCustom && (
        <TextField
          label="Threshold"
          type="number"
          min={0}
          max={1}
          step="any"
          required
          hint="From 0 to 1. 0 reports every text with its score."
          value={threshold}
          onChange={(next) => onChange({ ...draft, threshold: next })}
          problem={problem("threshold")}
        />
      )}
    </>
  );
}
