/** Reads a condition from parsed JSON, without zod, which would double the size of the page. */
import type { Condition } from "../../contract/guard/conditions.ts";
import { isObject } from "../../lib/json/json-object.ts";
import { OPERATOR_LABELS } from "./policy-sentences.ts";

/** Returns undefined if the value does not have the shape of a condition. The server validates its contents. */
export function readCondition(value: unknown): Condition | undefined {
  // Each branch checks all members of its shape.
  return isCondition(value) ? (value as Condition) : undefined;
}

function isCondition(value: unknown): boolean {
  if (!isObject(value)) return false;
  const names = Object.keys(value).sort().join();
  if (names === "not") return isCondition(value.not);
  if (names === "field,op,value") return isComparison(value);
  const list = names === "all" ? value.all : names === "any" ? value.any : undefined;
  return Array.isArray(list) && list.length > 0 && list.every(isCondition);
}

const isComparison = ({ field, op, value }: Record<string, unknown>): boolean =>
  typeof field === "string" &&
  typeof op === "string" &&
  Object.hasOwn(OPERATOR_LABELS, op) &&
  (Array.isArray(value) ? value : [value]).every((each) =>
    ["string", "number", "boolean"].includes(typeof each),
  );
