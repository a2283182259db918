/** Draft of a JSON object, such as the arguments of a tool call: a row for each member, or JSON. */
import { AppError } from "../../contract/errors.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { parseJson } from "../ui/parse-json.ts";

export type ValueType = "string" | "number" | "boolean" | "array" | "object" | "null";

export interface MemberDraft {
  /** Empty for the items of a list. */
  name: string;
  type: ValueType;
  /** Value of the types string, number and boolean. */
  text: string;
  /** Items of a list, or members of an object. */
  members: readonly MemberDraft[];
}

/** `json`: edited JSON. */
export type ObjectDraft = { members: readonly MemberDraft[] } | { json: string };

export const newMember = (name: string): MemberDraft => ({
  name,
  type: "string",
  text: "",
  members: [],
});

export const toObjectDraft = (value: JsonObject): ObjectDraft => ({ members: toMembers(value) });

const toMembers = (value: object): MemberDraft[] =>
  Object.entries(value).map(([name, member]) => toMember(name, member));

function toMember(name: string, value: unknown): MemberDraft {
  if (Array.isArray(value)) {
    const members = value.map((item) => toMember("", item));
    return { ...newMember(name), type: "array", members };
  }
  if (isObject(value)) return { ...newMember(name), type: "object", members: toMembers(value) };
  if (value === null) return { ...newMember(name), type: "null" };
  // A parsed JSON value has no other types.
  return { ...newMember(name), type: typeof value as ValueType, text: String(value) };
}

/** Throws if a member is invalid; `at` is the path of the object in the request body. */
export function toObject(draft: ObjectDraft, at: string): JsonObject {
  if ("members" in draft) return writeMembers(draft.members, at);
  const value = parseJson(draft.json, at);
  if (!isObject(value)) throw new AppError("validation_failed", `${at}: must be a JSON object`);
  return value;
}

function writeMembers(members: readonly MemberDraft[], at: string): JsonObject {
  const names = members.map(({ name }) => name);
  if (names.includes("")) throw new AppError("validation_failed", `${at}: enter each name`);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) {
    throw new AppError("validation_failed", `${at}: the name “${repeated}” is used twice`);
  }
  return Object.fromEntries(members.map((member) => [member.name, writeValue(member, at)]));
}

function writeValue({ name, type, text, members }: MemberDraft, at: string): unknown {
  if (type === "object") return writeMembers(members, at);
  if (type === "array") return members.map((item) => writeValue(item, at));
  if (type === "null") return null;
  if (type === "boolean") return text === "true";
  if (type === "string") return text;
  if (text.trim() === "" || Number.isNaN(Number(text))) {
    throw new AppError("validation_failed", `${at}: enter a number for “${name || "item"}”`);
  }
  return Number(text);
}
