/** Detects hostile database operators in JSON: `{"password": {"$ne": null}}`. */

/** Operators that run code. */
export const CODE_OPERATORS = ["$where", "$function", "$accumulator"];
export const COMPARISON_OPERATORS = [
  ...["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"],
  ...["$in", "$nin", "$regex", "$exists", "$not"],
];
/** Names of secrets, which no legitimate filter compares. Regular expression source. */
export const SECRET_NAMES = "pass(?:word|wd|phrase)?|pwd|pin|otp|secret|token|api_?key";

/**
 * Detects an operator as attackers use it. A filter such as `{"age": {"$gt": 18}}` is ordinary, and `$ref` or `$price`
 * are not operators.
 */
export function isHostileOperator(name: string, value: unknown, under: string): boolean {
  if (CODE_OPERATORS.includes(name)) return true;
  return COMPARISON_OPERATORS.includes(name) && (SECRET_NAME.test(under) || matchesAnything(value));
}

const SECRET_NAME = new RegExp(`^(?:${SECRET_NAMES})$`, "i");

/** Detects operands that every value satisfies, such as null, -1 and `.*`. */
const matchesAnything = (value: unknown): boolean =>
  value === null ||
  value === -1 ||
  (typeof value === "string" && /^\^?(?:\.[*+])?\$?$/.test(value)) ||
  (Array.isArray(value) && value.length === 0);
