/** Reuses the Headers object of the previous response, and writes only the headers that differ. */

export type HeaderCache = (record: Readonly<Record<string, string>>) => Headers;

/**
 * Bun validates every name and value that is set, and most are those of the previous response, at the same
 * position. The result is valid until the next call; `new Response` copies it.
 */
export function createHeaderCache(): HeaderCache {
  let headers = new Headers();
  /** The contents of `headers`, in the order of the record they were copied from. */
  let names: string[] = [];
  let values: string[] = [];

  const reset = () => {
    headers = new Headers();
    names = [];
    values = [];
  };
  const write = (record: Readonly<Record<string, string>>): boolean => {
    let at = 0;
    for (const name in record) {
      const value = record[name] ?? "";
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
  return (record) => {
    if (!write(record)) {
      reset();
      write(record);
    }
    return headers;
  };
}
