/** Selects an expiry: a number of days, a date, or never. */
import { useState } from "react";
import { now } from "../../../lib/time/clock.ts";
import { SelectField, TextField } from "./field.tsx";

const CHOICES = [
  ["", "Never expires"],
  ["1", "In 1 day"],
  ["7", "In 7 days"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In one year"],
  ["date", "On a date…"],
] as const;
const DAY_MS = 86_400_000;

interface ExpiryFieldProps {
  label?: string;
  problem?: string | undefined;
  /** A choice other than never. */
  initial?: string;
  onChange: (expires_at: string | null) => void;
}

export function ExpiryField({
  label = "Expires",
  problem,
  initial = "",
  onChange,
}: ExpiryFieldProps) {
  const [choice, setChoice] = useState(initial);
  const [date, setDate] = useState("");
  const choose = (next: string) => {
    setChoice(next);
    onChange(next === "date" ? endOfDay(date) : next ? inDays(Number(next)) : null);
  };
  return (
    <>
      <SelectField
        label={label}
        problem={problem}
        value={choice}
        options={CHOICES}
        onChange={choose}
      />
      {choice === "date" && (
        <TextField
          label="Last day"
          type="date"
          required
          value={date}
          min={inDays(0).slice(0, 10)}
          onChange={(next) => {
            setDate(next);
            onChange(endOfDay(next));
          }}
        />
      )}
    </>
  );
}

export const inDays = (days: number): string =>
  new Date(now().getTime() + days * DAY_MS).toISOString();

/** Returns the last second of a day in the local time zone. */
const endOfDay = (date: string): string | null =>
  date ? new Date(`${date}T23:59:59`).toISOString() : null;
