/** Assigns the exposed names of tools, `<server>__<tool>`: at most 64 characters, unique and stable. */

export interface NamedInstance {
  id: string;
  name: string;
}

export interface ToolPrefix {
  long: string;
  /** For tools whose name does not fit after the long prefix. */
  short: string;
}

const MAX_NAME_LENGTH = 64;
const MAX_SLUG_LENGTH = 24;
const MIN_SHORT_LENGTH = 4;
const TOOL_HASH_LENGTH = 8;
const SEPARATOR = "__";

/**
 * Returns prefixes by instance id. `instances` are all of a gateway. Ids sort by age, so a later instance never
 * changes the prefix of an older one, and prefixes do not depend on what a principal has installed.
 */
export function assignPrefixes(instances: readonly NamedInstance[]): Map<string, ToolPrefix> {
  const taken = new Set<string>();
  const claim = (spell: (length: number) => string, from: number): string => {
    let length = from;
    while (taken.has(spell(length))) length += 1;
    taken.add(spell(length));
    return spell(length);
  };
  const prefixes = new Map<string, ToolPrefix>();
  for (const { id, name } of instances.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const hash = hashText(id);
    const slug = slugify(name);
    const long = claim((length) => (length ? `${slug}_${hash.slice(0, length)}` : slug), 0);
    const short = claim((length) => hash.slice(0, length), MIN_SHORT_LENGTH);
    prefixes.set(id, { long, short });
  }
  return prefixes;
}

/** Returns exposed names by the name at the server, for all tools of one instance. */
export function assignToolNames(
  prefix: ToolPrefix,
  tools: readonly string[],
  aliases: Readonly<Record<string, string>>,
): Map<string, string> {
  const names = new Set(tools);
  const requestedAliases = tools.flatMap((tool) =>
    Object.hasOwn(aliases, tool) ? [aliases[tool]] : [],
  );
  const toSuffix = (tool: string): string => {
    const alias = Object.hasOwn(aliases, tool) ? aliases[tool] : undefined;
    if (alias !== undefined) {
      const isUnique =
        !names.has(alias) && requestedAliases.filter((other) => other === alias).length === 1;
      if (isUnique) return alias;
    }
    const clean = tool.replace(/[^A-Za-z0-9_-]/g, "_");
    // A replaced character could produce the name of another tool, so a hash is appended.
    return clean === tool ? tool : `${clean}_${hashText(tool).slice(0, TOOL_HASH_LENGTH)}`;
  };
  const taken = new Set<string>();
  return new Map(
    tools.map((tool) => {
      const name = findFreeName(joinName(prefix, toSuffix(tool), tool), taken);
      taken.add(name);
      return [tool, name];
    }),
  );
}

/** A server can choose names that are equal once exposed, and clients reject a list with equal names. */
function findFreeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) {
    const end = `_${count}`;
    free = name.slice(0, MAX_NAME_LENGTH - end.length) + end;
  }
  return free;
}

/** Returns assignToolNames for a server and the names of its list; lists are cached, and so are their names. */
export type NameTools = (
  server: NamedServer,
  tools: readonly string[],
) => ReadonlyMap<string, string>;

interface NamedServer {
  prefix: ToolPrefix;
  instance: { provider_options: { tool_aliases: Readonly<Record<string, string>> } };
}

export function createToolNamer(): NameTools {
  const known = new WeakMap<
    readonly string[],
    { server: NamedServer; names: ReadonlyMap<string, string> }
  >();
  return ({ prefix, instance }, tools) => {
    const before = known.get(tools);
    if (before?.server.prefix === prefix && before.server.instance === instance) {
      return before.names;
    }
    const names = assignToolNames(prefix, tools, instance.provider_options.tool_aliases);
    known.set(tools, { server: { prefix, instance }, names });
    return names;
  };
}

/** Returns the prefix of an exposed name. */
export const readPrefix = (exposed: string): string => exposed.slice(0, exposed.indexOf(SEPARATOR));

function joinName({ long, short }: ToolPrefix, part: string, tool: string): string {
  for (const prefix of [long, short]) {
    const name = `${prefix}${SEPARATOR}${part}`;
    if (name.length <= MAX_NAME_LENGTH) return name;
  }
  const end = `_${hashText(tool).slice(0, TOOL_HASH_LENGTH)}`;
  return `${short}${SEPARATOR}${part}`.slice(0, MAX_NAME_LENGTH - end.length) + end;
}

/** Replaces runs of other characters by one `_`, so that a slug never contains the separator. */
function slugify(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, "_");
  return plain.replace(/^_/, "").slice(0, MAX_SLUG_LENGTH).replace(/_$/, "") || "server";
}

const hashText = (text: string): string => Bun.SHA256.hash(text, "hex");
