/** What is a tool called here? `<server>__<tool>`: at most 64 characters, never two alike, never another one. */

export interface NamedInstance {
  id: string;
  name: string;
}

export interface ToolPrefix {
  long: string;
  /** For tools whose name would not fit behind the long one. */
  short: string;
}

const MAX_NAME_LENGTH = 64;
const MAX_SLUG_LENGTH = 24;
const MIN_SHORT_LENGTH = 4;
const TOOL_HASH_LENGTH = 8;
const SEPARATOR = "__";

/**
 * By id. `instances` are all of a gateway: ids sort by age, so one that is added later never takes the
 * name of an older one, and what a principal has installed does not matter.
 */
export function assignPrefixes(instances: readonly NamedInstance[]): Map<string, ToolPrefix> {
  const taken = new Set<string>();
  const free = (spell: (length: number) => string, from: number): string => {
    let length = from;
    while (taken.has(spell(length))) length += 1;
    taken.add(spell(length));
    return spell(length);
  };
  const prefixes = new Map<string, ToolPrefix>();
  for (const { id, name } of instances.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const mark = hashText(id);
    const slug = slugify(name);
    const long = free((length) => (length ? `${slug}_${mark.slice(0, length)}` : slug), 0);
    const short = free((length) => mark.slice(0, length), MIN_SHORT_LENGTH);
    prefixes.set(id, { long, short });
  }
  return prefixes;
}

/** By the tool's own name, for all tools of one instance. */
export function assignToolNames(
  prefix: ToolPrefix,
  tools: readonly string[],
  aliases: Readonly<Record<string, string>>,
): Map<string, string> {
  const own = new Set(tools);
  const wished = tools.flatMap((tool) => (Object.hasOwn(aliases, tool) ? [aliases[tool]] : []));
  const partOf = (tool: string): string => {
    const alias = Object.hasOwn(aliases, tool) ? aliases[tool] : undefined;
    if (alias !== undefined) {
      const alone = !own.has(alias) && wished.filter((other) => other === alias).length === 1;
      if (alone) return alias;
    }
    const clean = tool.replace(/[^A-Za-z0-9_-]/g, "_");
    // What had to be changed could be what another tool is called: its mark keeps them apart.
    return clean === tool ? tool : `${clean}_${hashText(tool).slice(0, TOOL_HASH_LENGTH)}`;
  };
  return new Map(tools.map((tool) => [tool, joinName(prefix, partOf(tool), tool)]));
}

/** The prefix that an exposed name begins with. */
export const readPrefix = (exposed: string): string => exposed.slice(0, exposed.indexOf(SEPARATOR));

function joinName({ long, short }: ToolPrefix, part: string, tool: string): string {
  for (const prefix of [long, short]) {
    const name = `${prefix}${SEPARATOR}${part}`;
    if (name.length <= MAX_NAME_LENGTH) return name;
  }
  const end = `_${hashText(tool).slice(0, TOOL_HASH_LENGTH)}`;
  return `${short}${SEPARATOR}${part}`.slice(0, MAX_NAME_LENGTH - end.length) + end;
}

/** Runs of other characters become one `_`, so that no slug holds what stands between the parts. */
function slugify(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, "_");
  return plain.replace(/^_/, "").slice(0, MAX_SLUG_LENGTH).replace(/_$/, "") || "server";
}

const hashText = (text: string): string => Bun.SHA256.hash(text, "hex");
