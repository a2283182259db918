/** Samples events that anyone can cause: lets at most `max` per minute and key through. */

export type MinuteSampler = (now: Date, key: string) => boolean;

/** Returns a function that returns whether to record an event. Keys are kept for a minute. */
export function createMinuteSampler(max: number): MinuteSampler {
  const counts = new Map<string, number>();
  let current = 0;
  return (now, key) => {
    const minute = Math.floor(now.getTime() / 60_000);
    if (minute !== current) {
      current = minute;
      counts.clear();
    }
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= max;
  };
}
