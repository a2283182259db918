/** Describes the difference between two JSON Schemas of the arguments of a tool. */
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { tryParseJson } from "../ui/parse-json.ts";
import { describeLimits } from "./describe-shape.ts";
import { type ShapeDraft, toArgumentsDraft } from "./shape-draft.ts";

/** Returns one text for each difference: "argument limit is now whole number from 1 to 10 instead of number". */
export function describeSchemaChanges(before: unknown, after: unknown): string[] {
  const [was, is] = [before, after].map((schema) => listArguments(toArgumentsDraft(schema ?? {})));
  const names = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])];
  return names.flatMap((name) => {
    const [old, now] = [was?.get(name), is?.get(name)];
    const subject = name ? `argument ${name}` : "schema";
    if (!now) return [`removed ${subject}`];
    if (!old) return [`added ${subject} (${now.text}${now.required ? ", required" : ""})`];
    return [
      ...(old.text === now.text ? [] : [`${subject} is now ${now.text} instead of ${old.text}`]),
      ...(old.required === now.required
        ? []
        : [`${subject} is now ${now.required ? "required" : "optional"}`]),
      ...(old.closed === now.closed
        ? []
        : [
            `other ${name ? `members of ${name}` : "arguments"} are now ${now.closed ? "rejected" : "accepted"}`,
          ]),
      ...findChanged(old.keywords, now.keywords).map((key) => `${subject} has another ${key}`),
    ];
  });
}

interface ArgumentText {
  text: string;
  required: boolean;
  closed: boolean;
  /** The description, and keywords without a field. */
  keywords: JsonObject;
}

const findChanged = (old: JsonObject, now: JsonObject): string[] =>
  [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]),
  );

/** Returns each argument by name, with nested ones: `filter.on`, `tags (items)`. The schema itself is "". */
function listArguments(shape: ShapeDraft, name = "", required = false): Map<string, ArgumentText> {
  const other = tryParseJson(shape.other);
  const own: ArgumentText = {
    text: describeLimits(shape),
    required,
    closed: shape.type === "object" && shape.isClosed === true,
    keywords: { description: shape.texts.description, ...(isObject(other) && other) },
  };
  const parameters = shape.type === "object" ? shape.parameters : [];
  const items = shape.type === "array" ? shape.items : undefined;
  return new Map([
    [name, own],
    ...parameters.flatMap((each) => [
      ...listArguments(each.shape, name ? `${name}.${each.name}` : each.name, each.required),
    ]),
    ...(items ? listArguments(items, `${name} (items)`) : []),
  ]);
}
