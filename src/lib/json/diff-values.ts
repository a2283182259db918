/** Lists the differences between two JSON values by path: `gates[0].action`, `failover.max_attempts`. */

export interface ValueChange {
  path: string;
  /** null when it is missing. */
  before: unknown;
  after: unknown;
}

/** Compares arrays item by item. */
export function diffValues(before: unknown, after: unknown, path = ""): ValueChange[] {
  if (Bun.deepEquals(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
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

export interface MemberChange {
  name: string;
  /** undefined when it is missing. */
  before: unknown;
  /** undefined when it is removed. */
  after: unknown;
}

/** Treats null and an empty object as missing, and compares an array as a whole. */
export function diffMembers(before: object, after: object): MemberChange[] {
  const old = collectLeaves(before);
  const current = collectLeaves(after);
  return [...new Set([...old.keys(), ...current.keys()])]
    .map((name) => ({ name, before: old.get(name), after: current.get(name) }))
    .filter((change) => !Bun.deepEquals(change.before, change.after));
}

function collectLeaves(value: object, prefix = ""): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, member] of Object.entries(value)) {
    if (member === null || member === undefined) continue;
    if (typeof member !== "object" || Array.isArray(member)) found.set(prefix + name, member);
    else
      for (const [inner, leaf] of collectLeaves(member, `${prefix}${name}.`))
        found.set(inner, leaf);
  }
  return found;
}
