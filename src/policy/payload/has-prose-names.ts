/** Detects prose in member names: such a document is read as one text, since its names are not read separately. */
export function hasProseNames(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasProseNames);
  return Object.entries(value).some(
    ([name, member]) => name.length > 64 || /\s/.test(name) || hasProseNames(member),
  );
}
