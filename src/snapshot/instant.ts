/** A stored time as milliseconds; what has no end ends never. */
export const instant = (time: string | null): number =>
  time === null ? Infinity : Date.parse(time);
