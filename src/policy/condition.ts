/** Conditions of gates and rules: checked when saved, compiled once, asked at every evaluation. */
import { CONDITION_FIELDS, type Condition, type Operator } from "../contract/conditions.ts";
import { DIRECTIONS, PROTOCOLS } from "../contract/evaluate.ts";
import { compilePattern, findPatternError } from "../lib/linear-regex/compile-pattern.ts";

/** What is known about an evaluation, by field name. */
export type Facts = (field: string) => unknown;
export type Test = (facts: Facts) => boolean;

const ALWAYS: Test = () => true;

export function compileCondition(condition: Condition | null): Test {
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

/** The first thing that is wrong with a condition: where in it, and why. */
export function conditionProblem(
  condition: Condition,
  at = "",
): { at: string; problem: string } | undefined {
  if ("not" in condition) return conditionProblem(condition.not, `${at}.not`);
  if ("all" in condition || "any" in condition) {
    const [name, list] =
      "all" in condition ? (["all", condition.all] as const) : (["any", condition.any] as const);
    for (const [index, inner] of list.entries()) {
      const found = conditionProblem(inner, `${at}.${name}[${index}]`);
      if (found) return found;
    }
    return undefined;
  }
  const { field, op, value } = condition;
  if (!isField(field)) {
    return {
      at: `${at}.field`,
      problem: `can never exist; there are ${CONDITION_FIELDS.join(", ")}`,
    };
  }
  if (Array.isArray(value) && op !== "in") {
    return { at: `${at}.value`, problem: `a list is for "in"; ${op} takes one value` };
  }
  if (Array.isArray(value) && value.length === 0) {
    return { at: `${at}.value`, problem: "an empty list never matches; name at least one value" };
  }
  const known = KNOWN_VALUES[field];
  if (known && (op === "eq" || op === "neq" || op === "in")) {
    const unknown = (op === "in" ? listed(value) : [text(value)]).some((one) => !known.has(one));
    if (unknown) return { at: `${at}.value`, problem: `must be one of ${[...known].join(", ")}` };
  }
  if ((op === "gt" || op === "lt") && !Number.isFinite(number(value))) {
    return { at: `${at}.value`, problem: `${op} compares numbers` };
  }
  if (op !== "match") return undefined;
  const problem = findPatternError(String(value));
  return problem === undefined ? undefined : { at: `${at}.value`, problem };
}

/** Another value is a slip: a gate that can never act, or one that always does. */
const KNOWN_VALUES: Record<string, ReadonlySet<string> | undefined> = {
  direction: new Set(DIRECTIONS),
  protocol: new Set(PROTOCOLS),
};

const isField = (field: string): boolean =>
  CONDITION_FIELDS.some((known) => known === field) || /^tool\.arguments\.[^.]/.test(field);

/** Each takes the value of the condition, and gives back what judges the value of the evaluation. */
const OPERATORS: Record<Operator, (value: unknown) => (fact: unknown) => boolean> = {
  eq: (value) => (fact) => texts(fact).includes(text(value)),
  neq: (value) => (fact) => !texts(fact).includes(text(value)),
  gt: (value) => (fact) => number(fact) > number(value),
  lt: (value) => (fact) => number(fact) < number(value),
  contains: (value) => (fact) => texts(fact).some((one) => one.includes(text(value))),
  not_contains: (value) => (fact) => !texts(fact).some((one) => one.includes(text(value))),
  in: (value) => {
    const list = new Set(listed(value));
    return (fact) => texts(fact).some((one) => list.has(one));
  },
  match: (value) => {
    const pattern = compilePattern(text(value));
    return (fact) => texts(fact).some((one) => pattern.test(one));
  },
};

/** A missing attribute compares as the empty text; a list as each of its members. */
const texts = (fact: unknown): string[] => (Array.isArray(fact) ? fact.map(text) : [text(fact)]);

function text(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** NaN compares as neither more nor less. */
const number = (value: unknown): number => (text(value).trim() === "" ? Number.NaN : Number(value));

const listed = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.map(text)
    : text(value)
        .split(",")
        .map((item) => item.trim());
