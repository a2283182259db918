/** Parses durations such as `30s`, `2h` or `1h30m`, and compares stored times. */

const UNIT_S = { d: 86_400, h: 3_600, m: 60, s: 1 } as const;

/** Larger units first, each at most once. */
export const DURATION = /^(?=.)(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/;

/** Returns whole seconds; undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const parts = DURATION.exec(text);
  if (!parts) return undefined;
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = parts;
  return (
    Number(days) * UNIT_S.d +
    Number(hours) * UNIT_S.h +
    Number(minutes) * UNIT_S.m +
    Number(seconds) * UNIT_S.s
  );
}

/** null never expires. */
export const isExpired = (time: string | null, at: Date): boolean =>
  time !== null && Date.parse(time) <= at.getTime();
