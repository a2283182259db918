/** Splits and capitalizes text that people type and read. */

/** Returns the names in a comma-separated list. */
export const splitNames = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
