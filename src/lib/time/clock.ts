/** The only place that reads the real time; everything else is handed `now`. */
export const now = (): Date => new Date();

/** Milliseconds since start-up, for measuring spans; never jumps when the wall clock is set. */
export const elapsedMs = (): number => performance.now();

export const startedAt = (): Date => new Date(performance.timeOrigin);
