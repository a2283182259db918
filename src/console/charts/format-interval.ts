/** Formats the start of an interval, and the marks of a time axis. */
import { formatTime } from "../preferences.ts";

const DAY_S = 86_400;

/** Formats the start of an interval: without the time if intervals are a day or longer. */
export function formatInterval(start: Date, step_s: number): string {
  const date = { month: "short", day: "numeric" } as const;
  if (step_s >= DAY_S) return formatTime(start, date);
  return formatTime(start, { ...date, hour: "2-digit", minute: "2-digit" });
}

/** Formats a mark of a time axis: the date at midnight, otherwise the time of day. */
export function formatMark(mark: Date, step_s: number): string {
  const isMidnight = formatTime(mark, { timeStyle: "short", hourCycle: "h23" }).startsWith("00:00");
  if (step_s >= DAY_S || isMidnight) return formatTime(mark, { month: "short", day: "numeric" });
  return formatTime(mark, { timeStyle: "short" });
}
