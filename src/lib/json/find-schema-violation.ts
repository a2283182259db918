/** Does a value fit a JSON Schema? The part of the language that tools describe their arguments in. */
import { compilePattern, type Pattern } from "../linear-regex/compile-pattern.ts";

export interface SchemaViolation {
  /** Which keyword is not met; `complexity`: checking it would take too long. */
  keyword: string;
  /** JSON pointer into the value; a name that the schema does not know is written as `*`. */
  pointer: string;
}

/** The first misfit. Keywords that are not known here, and schemas that are none, ask for nothing. */
export function findSchemaViolation(schema: unknown, value: unknown): SchemaViolation | undefined {
  const count = { steps: 0 };
  const found = check(schema, value, { root: schema, pointer: "", depth: 0, count });
  // Inside of `anyOf` or `not` giving up would otherwise look like an answer.
  return count.steps > MAX_STEPS ? { keyword: "complexity", pointer: "" } : found;
}

/** A schema can refer to itself, and a few alternatives in alternatives make millions of ways. */
const MAX_STEPS = 20_000;
const MAX_DEPTH = 64;

interface CheckContext {
  root: unknown;
  pointer: string;
  depth: number;
  count: { steps: number };
}

type Schema = Record<string, unknown>;
const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function check(schema: unknown, value: unknown, place: CheckContext): SchemaViolation | undefined {
  const { pointer } = place;
  if (schema === false) return { keyword: "false", pointer };
  if (!isObject(schema)) return undefined;
  if (++place.count.steps > MAX_STEPS || place.depth > MAX_DEPTH) {
    return { keyword: "complexity", pointer };
  }
  const inside = { ...place, depth: place.depth + 1 };
  for (const [keyword, check] of CHECKS) {
    if (schema[keyword] === undefined) continue;
    const found = check(schema[keyword], value, inside, schema);
    if (found === false) return { keyword, pointer };
    if (typeof found === "object") return found;
  }
  return undefined;
}

/** true fits, false does not, a misfit lies deeper. */
type Check = (
  asked: unknown,
  value: unknown,
  place: CheckContext,
  schema: Schema,
) => boolean | SchemaViolation;

const limit =
  (
    measure: (value: unknown) => number | undefined,
    fits: (size: number, bound: number) => boolean,
  ) =>
  (asked: unknown, value: unknown): boolean => {
    const size = measure(value);
    return typeof asked !== "number" || size === undefined || fits(size, asked);
  };
const number = (value: unknown) => (typeof value === "number" ? value : undefined);
/** Characters, not UTF-16 units. */
const length = (value: unknown) => (typeof value === "string" ? [...value].length : undefined);
const items = (value: unknown) => (Array.isArray(value) ? value.length : undefined);
const members = (value: unknown) => (isObject(value) ? Object.keys(value).length : undefined);
const atLeast = (size: number, bound: number) => size >= bound;
const atMost = (size: number, bound: number) => size <= bound;

const CHECKS: readonly (readonly [keyword: string, check: Check])[] = [
  [
    "$ref",
    (asked, value, place) => check(resolveReference(place.root, asked), value, place) ?? true,
  ],
  ["type", matchesType],
  ["enum", (asked, value) => !Array.isArray(asked) || asked.some((each) => isEqual(each, value))],
  ["const", (asked, value) => isEqual(asked, value)],
  ["minimum", limit(number, atLeast)],
  ["maximum", limit(number, atMost)],
  ["exclusiveMinimum", limit(number, (size, bound) => size > bound)],
  ["exclusiveMaximum", limit(number, (size, bound) => size < bound)],
  ["minLength", limit(length, atLeast)],
  ["maxLength", limit(length, atMost)],
  ["minItems", limit(items, atLeast)],
  ["maxItems", limit(items, atMost)],
  ["minProperties", limit(members, atLeast)],
  ["maxProperties", limit(members, atMost)],
  ["pattern", matchesPattern],
  ["required", checkRequired],
  ["properties", checkProperties],
  ["additionalProperties", checkAdditional],
  ["items", checkItems],
  ["allOf", (asked, value, place) => findFirstViolation(alternatives(asked), value, place) ?? true],
  ["anyOf", (asked, value, place) => countMatching(asked, value, place) !== 0],
  ["oneOf", (asked, value, place) => countMatching(asked, value, place) === 1],
  ["not", (asked, value, place) => check(asked, value, place) !== undefined],
];

/** The third style writes types in capitals, and `nullable` beside them. */
function matchesType(asked: unknown, value: unknown, _: CheckContext, schema: Schema): boolean {
  const types = (Array.isArray(asked) ? asked : [asked]).map((type) => String(type).toLowerCase());
  if (value === null) return types.includes("null") || schema.nullable === true;
  if (Array.isArray(value)) return types.includes("array");
  if (typeof value !== "number") return types.includes(typeof value);
  return types.includes("number") || (types.includes("integer") && Number.isInteger(value));
}

const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === "object" && Bun.deepEquals(one, other));

const patterns = new Map<string, Pattern | undefined>();
const MAX_PATTERNS = 500;

/** On the engine of users' patterns; what it does not take is not asked for. */
function matchesPattern(asked: unknown, value: unknown): boolean {
  if (typeof asked !== "string" || typeof value !== "string") return true;
  if (!patterns.has(asked)) {
    if (patterns.size >= MAX_PATTERNS) patterns.clear();
    patterns.set(asked, compileOrUndefined(asked));
  }
  return patterns.get(asked)?.test(value) ?? true;
}

function compileOrUndefined(source: string): Pattern | undefined {
  try {
    return compilePattern(source);
  } catch {
    return undefined;
  }
}

function checkRequired(
  asked: unknown,
  value: unknown,
  { pointer }: CheckContext,
): boolean | SchemaViolation {
  if (!Array.isArray(asked) || !isObject(value)) return true;
  const missing = asked.find((name) => typeof name === "string" && !Object.hasOwn(value, name));
  return missing === undefined || { keyword: "required", pointer: childPointer(pointer, missing) };
}

function checkProperties(
  asked: unknown,
  value: unknown,
  place: CheckContext,
): boolean | SchemaViolation {
  if (!isObject(asked) || !isObject(value)) return true;
  for (const [name, schema] of Object.entries(asked)) {
    if (!Object.hasOwn(value, name)) continue;
    const found = check(schema, value[name], {
      ...place,
      pointer: childPointer(place.pointer, name),
    });
    if (found) return found;
  }
  return true;
}

function checkAdditional(
  asked: unknown,
  value: unknown,
  place: CheckContext,
  schema: Schema,
): boolean | SchemaViolation {
  const { properties, patternProperties } = schema;
  // Which names a pattern claims is not worked out, so nothing is said about the others.
  if (!isObject(value) || patternProperties !== undefined) return true;
  const known = isObject(properties) ? properties : {};
  for (const [name, member] of Object.entries(value)) {
    if (Object.hasOwn(known, name)) continue;
    const found = check(asked, member, { ...place, pointer: childPointer(place.pointer, "*") });
    if (found) return asked === false ? false : found;
  }
  return true;
}

function checkItems(
  asked: unknown,
  value: unknown,
  place: CheckContext,
  { prefixItems }: Schema,
): boolean | SchemaViolation {
  if (!Array.isArray(value)) return true;
  const first = Array.isArray(prefixItems) ? prefixItems.length : 0;
  for (let index = first; index < value.length; index++) {
    const at = { ...place, pointer: childPointer(place.pointer, String(index)) };
    const found = check(asked, value[index], at);
    if (found) return found;
  }
  return true;
}

const alternatives = (asked: unknown): unknown[] => (Array.isArray(asked) ? asked : []);

function findFirstViolation(
  schemas: unknown[],
  value: unknown,
  place: CheckContext,
): SchemaViolation | undefined {
  for (const schema of schemas) {
    const found = check(schema, value, place);
    if (found) return found;
  }
  return undefined;
}

const countMatching = (asked: unknown, value: unknown, place: CheckContext): number =>
  alternatives(asked).filter((schema) => check(schema, value, place) === undefined).length;

const childPointer = (pointer: string, name: string): string =>
  `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** Only references inside the schema itself: nothing is fetched. */
function resolveReference(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  let found = root;
  for (const part of reference.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const holder = found;
    if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, name))
      return undefined;
    found = (holder as Schema)[name];
  }
  return found;
}
