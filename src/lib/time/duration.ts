/** How long is `30s`, `1m`, `2h`, `1d` or `1h30m`? */

const UNIT_S = { d: 86_400, h: 3_600, m: 60, s: 1 } as const;

/** Larger units first, each at most once; nine digits are more than any sane number needs. */
export const DURATION = /^(?=.)(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/;

/** Whole seconds, or undefined for a text that is no duration. */
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

/** Is a stored time over? What has no end never is. */
export const isExpired = (time: string | null, at: Date): boolean =>
  time !== null && Date.parse(time) <= at.getTime();
