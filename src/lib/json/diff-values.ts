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

export interface MemberChange {
  name: string;
  /** undefined: it was not there. */
  before: unknown;
  /** undefined: it goes. */
  after: unknown;
}

/** null and an empty object count as not there; a list is compared as a whole. */
export function diffMembers(before: object, after: object): MemberChange[] {
  const was = collectLeaves(before);
  const will = collectLeaves(after);
  return [...new Set([...was.keys(), ...will.keys()])]
    .map((name) => ({ name, before: was.get(name), after: will.get(name) }))
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
