/** Which members differ between two plain objects? Nested ones are named `failover.max_attempts`. */

export interface MemberChange {
  name: string;
  /** undefined: it was not there. */
  before: unknown;
  /** undefined: it goes. */
  after: unknown;
}

/** null and an empty object count as not there; a list is compared as a whole. */
export function diffMembers(before: object, after: object): MemberChange[] {
  const was = leaves(before);
  const will = leaves(after);
  return [...new Set([...was.keys(), ...will.keys()])]
    .map((name) => ({ name, before: was.get(name), after: will.get(name) }))
    .filter((change) => !Bun.deepEquals(change.before, change.after));
}

function leaves(value: object, prefix = ""): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, member] of Object.entries(value)) {
    if (member === null || member === undefined) continue;
    if (typeof member !== "object" || Array.isArray(member)) found.set(prefix + name, member);
    else for (const [inner, leaf] of leaves(member, `${prefix}${name}.`)) found.set(inner, leaf);
  }
  return found;
}
