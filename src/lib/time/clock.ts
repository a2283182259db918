/** The only place that reads the real time; all other code receives `now`. */
export const now = (): Date => new Date();

/** Monotonic milliseconds since start, for durations and deadlines. */
export const elapsedMs = (): number => performance.now();

export const startedAt = (): Date => new Date(performance.timeOrigin);
