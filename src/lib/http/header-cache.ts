/** The headers of one answer after the other: only what differs from the answer before is written. */

export type HeaderCache = (wanted: Readonly<Record<string, string>>) => Headers;

/**
 * Bun checks every name and value it is handed, and most are those of the answer before, at the same
 * place. The result holds until the next call; `new Response` copies it.
 */
export function createHeaderCache(): HeaderCache {
  let headers = new Headers();
  /** What stands in `headers`, by its place in the record it came from. */
  let names: string[] = [];
  let values: string[] = [];

  const begin = () => {
    headers = new Headers();
    names = [];
    values = [];
  };
  const write = (wanted: Readonly<Record<string, string>>): boolean => {
    let at = 0;
    for (const name in wanted) {
      const value = wanted[name] ?? "";
      if (at === names.length) names.push(name);
      else if (names[at] !== name) return false;
      if (values[at] !== value) {
        headers.set(name, value);
        values[at] = value;
      }
      at += 1;
    }
    return at === names.length;
  };
  return (wanted) => {
    if (!write(wanted)) {
      begin();
      write(wanted);
    }
    return headers;
  };
}
