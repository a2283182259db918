/** A stored time as milliseconds; what has no end ends never. */
export const toExpiryMs = (time: string | null): number =>
  time === null ? Infinity : Date.parse(time);
