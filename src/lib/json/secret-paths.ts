/** Reads and replaces the secrets of an object, by paths such as `auth.api_key` or `headers.*`. */

export function mapSecrets<T>(
  value: T,
  paths: readonly string[],
  change: (secret: string, path: string) => string,
): T {
  return paths.reduce<T>((current, path) => mapAt(current, path.split("."), "", change), value);
}

/** Returns the secrets by path, with each `*` replaced by the name. */
export function collectSecrets(value: object, paths: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  mapSecrets(value, paths, (secret, path) => {
    found.set(path, secret);
    return secret;
  });
  return found;
}

/** Shows nothing of a short secret, and the last four characters of a long one. */
export const maskSecret = (secret: string): string =>
  secret.length > 8 ? `***${secret.slice(-4)}` : "***";

export const isMasked = (text: string): boolean => /^\*{3}.{0,4}$/u.test(text);

function mapAt<T>(
  value: T,
  [name, ...rest]: string[],
  at: string,
  change: (secret: string, path: string) => string,
): T {
  // The shape of T is preserved: only strings are replaced.
  if (name === undefined) return (typeof value === "string" ? change(value, at) : value) as T;
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>;
  const names = name === "*" ? Object.keys(members) : name in members ? [name] : [];
  const changed = names.map((key) => [
    key,
    mapAt(members[key], rest, at ? `${at}.${key}` : key, change),
  ]);
  return { ...members, ...Object.fromEntries(changed) } as T;
}
