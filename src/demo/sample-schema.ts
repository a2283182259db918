/** Generates a value that matches a JSON schema, from the quoted strings and numbers in a message. */
import { z } from "zod";
import { samplePattern } from "./sample-pattern.ts";

const Schema = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).min(1).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  prefixItems: z.array(z.unknown()).optional(),
  uniqueItems: z.boolean().optional(),
  pattern: z.string().max(1000).optional(),
  minItems: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
  multipleOf: z.number().positive().optional(),
  format: z.string().optional(),
  anyOf: z.array(z.unknown()).min(1).optional(),
  oneOf: z.array(z.unknown()).min(1).optional(),
  allOf: z.array(z.unknown()).min(1).optional(),
  $ref: z.string().optional(),
});
type Schema = z.infer<typeof Schema>;

// A schema can be recursive, require a million items, or repeat a long default. Values beyond these limits are null,
// which bounds time and response size.
const MAX_SCHEMA_CHARACTERS = 120_000;
const MAX_CHARACTERS = 32_000;
const CHARACTERS_PER_VALUE = 64;
const MAX_DEPTH = 20;

const FORMATS: Record<string, string> = {
  "date-time": "2025-01-01T00:00:00Z",
  date: "2025-01-01",
  time: "00:00:00Z",
  duration: "PT1S",
  email: "demo@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

export function sampleSchema(root: unknown, message: string): unknown {
  const texts = [...message.matchAll(/"([^"]+)"|“([^”]+)”/g)].map((found) => found[1] ?? found[2]);
  const numbers = (message.match(/(?<![\w.])-?\d+(\.\d+)?(?![\w.]*\w)/g) ?? []).map(Number);
  let left = MAX_CHARACTERS;
  return JSON.stringify(root).length > MAX_SCHEMA_CHARACTERS ? null : fill(root, 0);

  function fill(raw: unknown, depth: number): unknown {
    left -= CHARACTERS_PER_VALUE;
    const schema = left < 0 || depth > MAX_DEPTH ? undefined : read(raw);
    if (!schema) return null;
    const below = (next: unknown) => fill(next, depth + 1);
    if (schema.const !== undefined) return charge(schema.const);
    if (schema.enum) return charge(pick(schema.enum, message));
    if (schema.default !== undefined) return charge(schema.default);
    if (schema.$ref !== undefined) return below(resolve(root, schema.$ref));
    if (schema.allOf) return below(merge(root, schema));
    const choice = schema.anyOf ?? schema.oneOf;
    return choice ? below(choice[0]) : byType(schema, below);
  }

  function byType(schema: Schema, below: (next: unknown) => unknown): unknown {
    switch (typeOf(schema)) {
      case "object":
        return objectFor(schema, below);
      case "array":
        return arrayFor(schema, below);
      case "number":
      case "integer":
        return numberFor(schema, numbers.shift() ?? 1);
      case "boolean":
        return true;
      case "null":
        return null;
      default:
        return charge(stringFor(schema, texts.shift() ?? "demo"));
    }
  }

  function objectFor(schema: Schema, below: (next: unknown) => unknown): object {
    const members = new Map<string, unknown>();
    for (const name of selectNames(schema)) {
      left -= name.length;
      if (left < 0) break;
      members.set(name, below(schema.properties?.[name] ?? {}));
    }
    return Object.fromEntries(members);
  }

  function arrayFor(schema: Schema, below: (next: unknown) => unknown): unknown[] {
    const { items = {}, prefixItems = [], minItems = 1, uniqueItems } = schema;
    const list = prefixItems.map(below);
    while (list.length < minItems && left > 0) {
      const item = below(items);
      list.push(uniqueItems && list.includes(item) ? makeUnique(item, list.length) : item);
    }
    return list;
  }

  function charge(value: unknown): unknown {
    left -= JSON.stringify(value).length;
    return left < 0 ? null : value;
  }
}

const read = (raw: unknown): Schema | undefined => Schema.safeParse(raw).data;

const pick = (options: unknown[], message: string): unknown =>
  options.find((one) => typeof one === "string" && mentions(message, one)) ?? options[0];

function resolve(root: unknown, pointer: string): unknown {
  const steps = pointer.split("/").slice(1);
  return steps.reduce<unknown>(
    (at, step) => Reflect.get(Object(at), step.replaceAll("~1", "/").replaceAll("~0", "~")),
    root,
  );
}

function merge(root: unknown, { allOf = [], ...own }: Schema): Schema {
  const parts = allOf.flatMap((raw) => {
    const part = read(raw);
    const target = part?.$ref === undefined ? part : read(resolve(root, part.$ref));
    return target ?? [];
  });
  const all = [...parts, own];
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: all.flatMap(({ required }) => required ?? []),
  };
}

function typeOf({ type, properties, items, prefixItems }: Schema): string {
  if (typeof type === "string") return type;
  if (type) return type.find((name) => name !== "null") ?? "null";
  if (properties) return "object";
  return items || prefixItems ? "array" : "string";
}

/** Returns the required members, or all members if none is required. */
const selectNames = ({ properties = {}, required = [] }: Schema): Set<string> =>
  new Set(required.length > 0 ? required : Object.keys(properties));

function numberFor(schema: Schema, given: number): number {
  const { minimum = -Infinity, maximum = Infinity, multipleOf } = schema;
  const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = schema;
  const step = multipleOf ?? (typeOf(schema) === "integer" ? 1 : 0);
  const gap = step || 1e-6; // distance from an exclusive limit
  const low = Math.max(minimum, exclusiveMinimum + gap);
  const high = Math.min(maximum, exclusiveMaximum - gap);
  const within = Math.min(Math.max(given, low), high);
  if (step === 0) return within;
  const nearest = Math.round(within / step) * step;
  return nearest < low ? nearest + step : nearest > high ? nearest - step : nearest;
}

/** Numbers a value to make it unique. */
function makeUnique(item: unknown, index: number): unknown {
  if (typeof item === "string") return `${item} ${index + 1}`;
  return typeof item === "number" ? item + index : item;
}

function stringFor(schema: Schema, given: string): string {
  const { format = "", pattern, minLength = 0, maxLength } = schema;
  const text =
    FORMATS[format] ?? (pattern === undefined ? given : (samplePattern(pattern) ?? given));
  return text.padEnd(Math.min(minLength, MAX_CHARACTERS), ".").slice(0, maxLength);
}

/** Reports whether a text contains a name as a whole word, ignoring case. */
export const mentions = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`, "i").test(text);
