/** Distinguishes random keys from identifiers, names and versions, which seldom change between letters and digits. */

const CHANGE = /[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z])/g;
const SEVERAL_DIGITS = /\d.*\d/;
/** Most characters per change in a random key. */
const MAX_RUN = 6;

export const isRandomKey = (value: string): boolean =>
  SEVERAL_DIGITS.test(value) && (value.match(CHANGE)?.length ?? 0) * MAX_RUN >= value.length;
