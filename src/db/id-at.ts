/** The first possible id of a moment: ids are version 7 and begin with milliseconds, so they order rows by age. */
export function idAt(time: string | Date): string {
  const hex = Math.max(0, new Date(time).getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
