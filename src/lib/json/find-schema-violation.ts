/** Validates a value against a JSON Schema: the keywords that tools use to describe their arguments. */
import { compilePattern, type Pattern } from "../linear-regex/compile-pattern.ts";
import { countSteps, type SchemaWork, startSchemaWork } from "./schema-work.ts";

export interface SchemaViolation {
  /** The keyword that is violated; `complexity` when checking would take too long. */
  keyword: string;
  /** JSON pointer into the value; a name that is not in the schema is written as `*`. */
  pointer: string;
}

/** Returns the first violation. Unknown keywords and invalid schemas are ignored. */
export function findSchemaViolation(
  schema: unknown,
  value: unknown,
  work: SchemaWork = startSchemaWork(),
): SchemaViolation | undefined {
  const maxSteps = Math.min(work.steps + MAX_STEPS, MAX_STEPS_TOGETHER);
  const found = check(schema, value, { root: schema, pointer: "", depth: 0, work, maxSteps });
  // Inside of `anyOf` or `not`, an aborted check would otherwise count as a result.
  return work.steps > maxSteps ? { keyword: "complexity", pointer: "" } : found;
}

/** A schema can refer to itself, and nested alternatives multiply to millions of combinations. */
const MAX_STEPS = 20_000;
/** Of all calls of an evaluation. */
const MAX_STEPS_TOGETHER = 200_000;
const MAX_DEPTH = 64;

interface CheckContext {
  root: unknown;
  pointer: string;
  depth: number;
  work: SchemaWork;
  maxSteps: number;
}

type Schema = Record<string, unknown>;
const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function check(
  schema: unknown,
  value: unknown,
  context: CheckContext,
): SchemaViolation | undefined {
  const { pointer } = context;
  if (schema === false) return { keyword: "false", pointer };
  if (!isObject(schema)) return undefined;
  context.work.steps += countSteps(schema, value, context.work);
  if (context.work.steps > context.maxSteps || context.depth > MAX_DEPTH) {
    return { keyword: "complexity", pointer };
  }
  const inside = { ...context, depth: context.depth + 1 };
  for (const [keyword, check] of CHECKS) {
    if (schema[keyword] === undefined) continue;
    const found = check(schema[keyword], value, inside, schema);
    if (found === false) return { keyword, pointer };
    if (typeof found === "object") return found;
  }
  return undefined;
}

/** Returns true when the value is valid, false when this keyword is violated, or a violation deeper in the value. */
type Check = (
  expected: unknown,
  value: unknown,
  context: CheckContext,
  schema: Schema,
) => boolean | SchemaViolation;

const limit =
  (
    measure: (value: unknown) => number | undefined,
    fits: (size: number, bound: number) => boolean,
  ) =>
  (expected: unknown, value: unknown): boolean => {
    const size = measure(value);
    return typeof expected !== "number" || size === undefined || fits(size, expected);
  };
const number = (value: unknown) => (typeof value === "number" ? value : undefined);
/** Characters, not UTF-16 units. */
const length = (value: unknown) => (typeof value === "string" ? countCharacters(value) : undefined);
const items = (value: unknown) => (Array.isArray(value) ? value.length : undefined);
const members = (value: unknown) => (isObject(value) ? Object.keys(value).length : undefined);
const atLeast = (size: number, bound: number) => size >= bound;
const atMost = (size: number, bound: number) => size <= bound;

/** Without a list of the characters, which takes ten times as long. */
function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return count;
}

const CHECKS: readonly (readonly [keyword: string, check: Check])[] = [
  [
    "$ref",
    (expected, value, context) =>
      check(resolveReference(context.root, expected), value, context) ?? true,
  ],
  ["type", matchesType],
  [
    "enum",
    (expected, value) => !Array.isArray(expected) || expected.some((each) => isEqual(each, value)),
  ],
  ["const", (expected, value) => isEqual(expected, value)],
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
  [
    "allOf",
    (expected, value, context) =>
      findFirstViolation(alternatives(expected), value, context) ?? true,
  ],
  ["anyOf", (expected, value, context) => countMatching(expected, value, context) !== 0],
  ["oneOf", (expected, value, context) => countMatching(expected, value, context) === 1],
  ["not", (expected, value, context) => check(expected, value, context) !== undefined],
];

/** Google writes types in capitals, with `nullable` beside them. */
function matchesType(expected: unknown, value: unknown, _: CheckContext, schema: Schema): boolean {
  const types = (Array.isArray(expected) ? expected : [expected]).map((type) =>
    String(type).toLowerCase(),
  );
  if (value === null) return types.includes("null") || schema.nullable === true;
  if (Array.isArray(value)) return types.includes("array");
  if (typeof value !== "number") return types.includes(typeof value);
  return types.includes("number") || (types.includes("integer") && Number.isInteger(value));
}

const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === "object" && Bun.deepEquals(one, other));

const patterns = new Map<string, Pattern | undefined>();
const MAX_PATTERNS = 500;
/** Counts for a pattern that is rejected, however much of it was read. */
const UNSUPPORTED_SIZE = 200;

/** Uses the linear-time engine; a pattern that it does not support is ignored. */
function matchesPattern(expected: unknown, value: unknown, { work }: CheckContext): boolean {
  if (typeof expected !== "string" || typeof value !== "string") return true;
  if (!patterns.has(expected)) {
    if (patterns.size >= MAX_PATTERNS) patterns.clear();
    const pattern = compileOrUndefined(expected);
    patterns.set(expected, pattern);
    work.steps += pattern?.size ?? UNSUPPORTED_SIZE;
  }
  return patterns.get(expected)?.test(value) ?? true;
}

function compileOrUndefined(source: string): Pattern | undefined {
  try {
    return compilePattern(source);
  } catch {
    return undefined;
  }
}

function checkRequired(
  expected: unknown,
  value: unknown,
  { pointer }: CheckContext,
): boolean | SchemaViolation {
  if (!Array.isArray(expected) || !isObject(value)) return true;
  const missing = expected.find((name) => typeof name === "string" && !Object.hasOwn(value, name));
  return missing === undefined || { keyword: "required", pointer: childPointer(pointer, missing) };
}

function checkProperties(
  expected: unknown,
  value: unknown,
  context: CheckContext,
): boolean | SchemaViolation {
  if (!isObject(expected) || !isObject(value)) return true;
  for (const name of Object.keys(expected)) {
    if (!Object.hasOwn(value, name)) continue;
    const found = check(expected[name], value[name], {
      ...context,
      pointer: childPointer(context.pointer, name),
    });
    if (found) return found;
  }
  return true;
}

function checkAdditional(
  expected: unknown,
  value: unknown,
  context: CheckContext,
  schema: Schema,
): boolean | SchemaViolation {
  const { properties, patternProperties } = schema;
  // Names that patternProperties matches are not determined, so the others are not checked.
  if (!isObject(value) || patternProperties !== undefined) return true;
  const known = isObject(properties) ? properties : {};
  for (const [name, member] of Object.entries(value)) {
    if (Object.hasOwn(known, name)) continue;
    const found = check(expected, member, {
      ...context,
      pointer: childPointer(context.pointer, "*"),
    });
    if (found) return expected === false ? false : found;
  }
  return true;
}

function checkItems(
  expected: unknown,
  value: unknown,
  context: CheckContext,
  { prefixItems }: Schema,
): boolean | SchemaViolation {
  if (!Array.isArray(value)) return true;
  const first = Array.isArray(prefixItems) ? prefixItems.length : 0;
  for (let index = first; index < value.length; index++) {
    const at = { ...context, pointer: childPointer(context.pointer, String(index)) };
    const found = check(expected, value[index], at);
    if (found) return found;
  }
  return true;
}

const alternatives = (expected: unknown): unknown[] => (Array.isArray(expected) ? expected : []);

function findFirstViolation(
  schemas: unknown[],
  value: unknown,
  context: CheckContext,
): SchemaViolation | undefined {
  for (const schema of schemas) {
    const found = check(schema, value, context);
    if (found) return found;
  }
  return undefined;
}

const countMatching = (expected: unknown, value: unknown, context: CheckContext): number =>
  alternatives(expected).filter((schema) => check(schema, value, context) === undefined).length;

const childPointer = (pointer: string, name: string): string =>
  `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** Resolves references inside the schema only: nothing is fetched. */
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
