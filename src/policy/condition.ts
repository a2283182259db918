/** Validates and compiles the conditions of gates and rules. */
import { CONDITION_FIELDS, type Condition, type Operator } from "../contract/guard/conditions.ts";
import { DIRECTIONS, PROTOCOLS } from "../contract/guard/evaluate.ts";
import { compilePattern, findPatternError } from "../lib/linear-regex/compile-pattern.ts";

/** Returns the value of a condition field for the current evaluation. */
export type FactLookup = (field: string) => unknown;
export type ConditionTest = (facts: FactLookup) => boolean;

const ALWAYS: ConditionTest = () => true;

export function compileCondition(condition: Condition | null): ConditionTest {
  if (condition === null) return ALWAYS;
  if ("all" in condition) {
    const tests = condition.all.map(compileCondition);
    return (facts) => tests.every((test) => test(facts));
  }
  if ("any" in condition) {
    const tests = condition.any.map(compileCondition);
    return (facts) => tests.some((test) => test(facts));
  }
  if ("not" in condition) {
    const test = compileCondition(condition.not);
    return (facts) => !test(facts);
  }
  const { field, op, value } = condition;
  const compare = OPERATORS[op](value);
  return (facts) => compare(facts(field));
}

/** Returns the first problem of a condition and its location, or undefined. */
export function validateCondition(
  condition: Condition,
  at = "",
): { at: string; problem: string } | undefined {
  if ("not" in condition) return validateCondition(condition.not, `${at}.not`);
  if ("all" in condition || "any" in condition) {
    const [name, list] =
      "all" in condition ? (["all", condition.all] as const) : (["any", condition.any] as const);
    for (const [index, inner] of list.entries()) {
      const invalid = validateCondition(inner, `${at}.${name}[${index}]`);
      if (invalid) return invalid;
    }
    return undefined;
  }
  const { field, op, value } = condition;
  if (!isField(field)) {
    return {
      at: `${at}.field`,
      problem: `unknown field; use one of ${CONDITION_FIELDS.join(", ")}`,
    };
  }
  if (Array.isArray(value) && op !== "in") {
    return {
      at: `${at}.value`,
      problem: `a list is allowed only with "in"; ${op} takes one value`,
    };
  }
  if (Array.isArray(value) && value.length === 0) {
    return { at: `${at}.value`, problem: "an empty list never matches; add at least one value" };
  }
  const known = KNOWN_VALUES[field];
  if (known && (op === "eq" || op === "neq" || op === "in")) {
    const unknown = (op === "in" ? toList(value) : [toText(value)]).some((one) => !known.has(one));
    if (unknown) return { at: `${at}.value`, problem: `must be one of ${[...known].join(", ")}` };
  }
  if ((op === "gt" || op === "lt") && !Number.isFinite(toNumber(value))) {
    return { at: `${at}.value`, problem: `must be a number: ${op} compares numbers` };
  }
  if (op !== "match") return undefined;
  const problem = findPatternError(String(value));
  return problem === undefined ? undefined : { at: `${at}.value`, problem };
}

/** Enumerated fields: comparing with any other value is a mistake, since the result is constant. */
const KNOWN_VALUES: Record<string, ReadonlySet<string> | undefined> = {
  direction: new Set(DIRECTIONS),
  protocol: new Set(PROTOCOLS),
};

const isField = (field: string): boolean =>
  CONDITION_FIELDS.some((known) => known === field) || /^tool\.arguments\.[^.]/.test(field);

/** Compiles each operator: takes the condition's value and returns a test of the evaluation's value. */
const OPERATORS: Record<Operator, (value: unknown) => (fact: unknown) => boolean> = {
  eq: (value) => (fact) => toTexts(fact).includes(toText(value)),
  neq: (value) => (fact) => !toTexts(fact).includes(toText(value)),
  gt: (value) => (fact) => toNumber(fact) > toNumber(value),
  lt: (value) => (fact) => toNumber(fact) < toNumber(value),
  contains: (value) => (fact) => toTexts(fact).some((one) => one.includes(toText(value))),
  not_contains: (value) => (fact) => !toTexts(fact).some((one) => one.includes(toText(value))),
  in: (value) => {
    const list = new Set(toList(value));
    return (fact) => toTexts(fact).some((one) => list.has(one));
  },
  match: (value) => {
    const pattern = compilePattern(toText(value));
    return (fact) => toTexts(fact).some((one) => pattern.test(one));
  },
};

/** Converts a value for comparison: a missing attribute is the empty string, a list is compared per item. */
const toTexts = (fact: unknown): string[] =>
  Array.isArray(fact) ? fact.map(toText) : [toText(fact)];

function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Returns NaN for anything else than a number, so that `gt` and `lt` are both false. */
const toNumber = (value: unknown): number =>
  toText(value).trim() === "" ? Number.NaN : Number(value);

const toList = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.map(toText)
    : toText(value)
        .split(",")
        .map((item) => item.trim());
