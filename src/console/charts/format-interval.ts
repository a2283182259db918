/** Formats the start of an interval: with its date only if intervals are a day or longer. */
import { formatTime } from "../preferences.ts";

const DAY_S = 86_400;

export function formatInterval(start: Date, step_s: number): string {
  const date = { month: "short", day: "numeric" } as const;
  if (step_s >= DAY_S) return formatTime(start, date);
  return formatTime(start, { ...date, hour: "2-digit", minute: "2-digit" });
}
