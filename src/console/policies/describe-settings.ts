/** Describes the changed settings of a detector. */
import { isObject } from "../../lib/json/json-object.ts";
import { describeSchemaChanges } from "../tools/describe-schema-changes.ts";
import { joinWords } from "../ui/text.ts";

type Settings = Readonly<Record<string, unknown>>;

/** Returns one text for each changed setting: "keywords: added falcon, removed zebra". */
export function describeSettings(before: Settings, after: Settings): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    const label = name.replaceAll("_", " ");
    if (name === SCHEMA_SETTING) return describeSchemaChanges(was, is);
    if (isObject(was) && isObject(is)) {
      return describeSettings(was, is).map((text) => `${label}: ${text}`);
    }
    if (!Array.isArray(was ?? []) || !Array.isArray(is ?? [])) {
      return [`${label} is now ${format(is)} instead of ${format(was)}`];
    }
    return [`${label}: ${describeEntries(toEntries(was), toEntries(is))}`];
  });
}

/** JSON Schema of the arguments of a tool, in the settings of the kind `tool_selection`. */
const SCHEMA_SETTING = "parameters";

/** Most of the entries of a long list are not named. */
const MAX_NAMED = 5;

type Entries = ReadonlyMap<string, unknown>;

function describeEntries(before: Entries, after: Entries): string {
  const list = (verb: string, names: readonly string[]) => {
    if (names.length === 0) return [];
    const rest = names.length - MAX_NAMED;
    const shown = rest > 0 ? [...names.slice(0, MAX_NAMED), `${rest} more`] : names;
    return [`${verb} ${joinWords(shown, "and")}`];
  };
  const changed = [...after].flatMap(([name, is]) => {
    const was = before.get(name);
    if (!isObject(was) || !isObject(is)) return [];
    const texts = describeSettings(was, is);
    return texts.length > 0 ? [`${name} (${texts.join("; ")})`] : [];
  });
  const texts = [
    ...list(
      "added",
      [...after.keys()].filter((name) => !before.has(name)),
    ),
    ...list(
      "removed",
      [...before.keys()].filter((name) => !after.has(name)),
    ),
    ...list("changed", changed),
  ];
  return texts.join("; ") || "in another order";
}

/** Returns the entries of a list by name: of an object its first member, such as `entity` or `name`. */
function toEntries(value: unknown): Entries {
  const list = Array.isArray(value) ? value : [];
  return new Map(
    list.map((entry: unknown) => {
      const name = isObject(entry) ? Object.values(entry)[0] : entry;
      return [String(name).replaceAll("_", " "), entry];
    }),
  );
}

function format(value: unknown): string {
  if (value === undefined || value === null || value === "") return "not set";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, each]) => `${name} ${format(each)}`);
    return joinWords(members, "and") || "empty";
  }
  return Array.isArray(value) ? joinWords(value.map(format), "and") : String(value);
}
