/** Converts a stored expiry time to milliseconds; null never expires. */
export const toExpiryMs = (time: string | null): number =>
  time === null ? Infinity : Date.parse(time);
