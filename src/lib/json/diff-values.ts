/** What differs between two JSON values, down to the leaf: `gates[0].action`. */

export interface ValueChange {
  path: string;
  /** null: it was not there. */
  before: unknown;
  after: unknown;
}

export function diffValues(before: unknown, after: unknown, path = ""): ValueChange[] {
  if (Bun.deepEquals(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) {
    const longest = Math.max(before.length, after.length);
    return Array.from({ length: longest }, (_, index) => index).flatMap((index) =>
      diffValues(before[index], after[index], `${path}[${index}]`),
    );
  }
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      diffValues(before[name], after[name], path ? `${path}.${name}` : name),
    );
  }
  return [{ path, before: before ?? null, after: after ?? null }];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
