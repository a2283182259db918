/** Members of JSON that speak to a database instead of being a value: `{"password": {"$ne": null}}`. */

/** These run code, whatever they are given. */
export const CODE_OPERATORS = ["$where", "$function", "$accumulator"];
export const COMPARISON_OPERATORS = [
  ...["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"],
  ...["$in", "$nin", "$regex", "$exists", "$not"],
];
/** Nobody looks for a person by what is not the password. The source of a pattern. */
export const SECRET_NAMES = "pass(?:word|wd|phrase)?|pwd|pin|otp|secret|token|api_?key";

/**
 * Whether a member is an operator in the way attackers use it. A filter such as `{"age": {"$gt": 18}}` is
 * what tools of databases are asked for every day, and `$ref` or `$price` are no operators at all.
 */
export function isHostileOperator(name: string, value: unknown, under: string): boolean {
  if (CODE_OPERATORS.includes(name)) return true;
  return COMPARISON_OPERATORS.includes(name) && (SECRET_NAME.test(under) || matchesAnything(value));
}

const SECRET_NAME = new RegExp(`^(?:${SECRET_NAMES})$`, "i");

/** Every value is unlike nothing, above the lowest, and matches `.*`. */
const matchesAnything = (value: unknown): boolean =>
  value === null ||
  value === -1 ||
  (typeof value === "string" && /^\^?(?:\.[*+])?\$?$/.test(value)) ||
  (Array.isArray(value) && value.length === 0);
