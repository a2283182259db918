/** The headers of one answer after the other: only what differs from the answer before is written. */

export type HeaderSheet = (wanted: Readonly<Record<string, string>>) => Headers;

/**
 * Bun checks every name and value it is handed, and most are those of the answer before: 20 of them
 * cost 4.6 µs as a record and 2.5 µs so. The result holds until the next call; `new Response` copies it.
 */
export function createHeaderSheet(): HeaderSheet {
  const headers = new Headers();
  /** What stands in `headers`, by the names as they were given. */
  const written = new Map<string, string>();
  return (wanted) => {
    for (const name of written.keys()) {
      if (name in wanted) continue;
      headers.delete(name);
      written.delete(name);
    }
    for (const name in wanted) {
      const value = wanted[name];
      if (value === undefined || written.get(name) === value) continue;
      headers.set(name, value);
      written.set(name, value);
    }
    return headers;
  };
}
