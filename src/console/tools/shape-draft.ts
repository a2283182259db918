/** Draft of a JSON Schema: of the arguments of a tool, of one argument, or of the items of a list. */
import { AppError } from "../../contract/errors.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { parseJson, tryParseJson } from "../ui/parse-json.ts";

/** `json`: the schema is edited as JSON. */
export type ShapeType = FormType | "json";
export type FormType = "any" | "string" | "number" | "integer" | "boolean" | "array" | "object";

export type Keyword =
  | "description"
  | "enum"
  | "pattern"
  | `${"min" | "max"}${"imum" | "Length" | "Items"}`;

/** Keywords that have a field, by type. */
export const KEYWORDS: Record<FormType, readonly Keyword[]> = {
  any: ["description"],
  string: ["description", "enum", "minLength", "maxLength", "pattern"],
  number: ["description", "enum", "minimum", "maximum"],
  integer: ["description", "enum", "minimum", "maximum"],
  boolean: ["description"],
  array: ["description", "minItems", "maxItems"],
  object: ["description"],
};

export interface ShapeDraft {
  type: ShapeType;
  /** Text of each keyword. Of `enum`, one value per line. */
  texts: Readonly<Partial<Record<Keyword, string>>>;
  /** Members of an object. */
  parameters: readonly ParameterDraft[];
  /** Other members are rejected. Undefined: `other` has a schema for them. */
  isClosed: boolean | undefined;
  /** Shape of the items of a list. */
  items: ShapeDraft | undefined;
  /** JSON of the keywords without a field. With the type `json`, of the whole schema. */
  other: string;
  /** The schema as stored. Its keywords keep their order. */
  source: unknown;
}

export interface ParameterDraft {
  name: string;
  required: boolean;
  shape: ShapeDraft;
}

export const newShape = (type: ShapeType): ShapeDraft => ({
  type,
  texts: {},
  parameters: [],
  isClosed: false,
  items: undefined,
  other: "",
  source: undefined,
});

/** Reads the schema of all arguments of a tool. `{}` is an object without restrictions. */
export function toArgumentsDraft(schema: unknown): ShapeDraft {
  if (isEmpty(schema)) return { ...newShape("object"), source: schema };
  const shape = toShapeDraft(schema);
  return shape.type === "object" ? shape : toJsonDraft(schema);
}

/** Returns the schema of all arguments of a tool: `{}` if it was empty and nothing was entered. */
export function toArgumentsSchema(draft: ShapeDraft, at: string): unknown {
  const schema = toSchema(draft, at);
  const isUnchanged = isObject(schema) && Object.keys(schema).join() === "type";
  return isUnchanged && isEmpty(draft.source) ? {} : schema;
}

const isEmpty = (schema: unknown): boolean => isObject(schema) && Object.keys(schema).length === 0;

export function toShapeDraft(schema: unknown): ShapeDraft {
  const type = readType(schema);
  if (type === "json" || !isObject(schema)) {
    return toJsonDraft(schema);
  }
  const texts = readTexts(type, schema);
  const shown = new Set<string>([...Object.keys(texts), "type"]);
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const draft = { ...newShape(type), texts, source: schema };
  if (type === "object" && isObject(properties) && Array.isArray(required)) {
    shown.add("properties").add("required");
    draft.parameters = Object.entries(properties).map(([name, property]) => ({
      name,
      required: required.includes(name),
      shape: toShapeDraft(property),
    }));
    if (typeof additionalProperties === "boolean") {
      shown.add("additionalProperties");
      draft.isClosed = !additionalProperties;
    } else draft.isClosed = undefined;
  }
  if (type === "array" && "items" in schema) {
    shown.add("items");
    draft.items = toShapeDraft(schema.items);
  }
  const other = Object.entries(schema).filter(([name]) => !shown.has(name));
  return { ...draft, other: other.length > 0 ? formatJson(Object.fromEntries(other)) : "" };
}

const toJsonDraft = (schema: unknown): ShapeDraft => ({
  ...newShape("json"),
  other: formatJson(schema),
  source: schema,
});

const formatJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** Returns `json` for a schema without a type that the form knows, such as `{oneOf: […]}`. */
function readType(schema: unknown): ShapeType {
  if (!isObject(schema)) return "json";
  const { type, properties = {}, required = [] } = schema;
  const hasMembers = isObject(properties) && isNames(required);
  if (type === "object") return hasMembers ? type : "json";
  if (type !== undefined) return isShapeType(type) ? type : "json";
  if ("properties" in schema && hasMembers) return "object";
  return Object.keys(schema).every((name) => name === "description") ? "any" : "json";
}

const isShapeType = (type: unknown): type is FormType =>
  typeof type === "string" && type !== "any" && Object.hasOwn(KEYWORDS, type);

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

/** Skips values that their field cannot show. */
function readTexts(type: FormType, schema: JsonObject): ShapeDraft["texts"] {
  const entries = KEYWORDS[type].flatMap((keyword) => {
    const text = readText(keyword, type, schema[keyword]);
    return text === undefined ? [] : [[keyword, text] as const];
  });
  return Object.fromEntries(entries);
}

function readText(keyword: Keyword, type: ShapeType, value: unknown): string | undefined {
  if (keyword === "description" || keyword === "pattern") {
    const isReadable = typeof value === "string" && value.trim() !== "";
    return isReadable && (keyword === "description" || !/[\r\n]/.test(value)) ? value : undefined;
  }
  if (keyword !== "enum") return typeof value === "number" ? String(value) : undefined;
  const isReadable = (one: unknown) =>
    type === "string"
      ? typeof one === "string" && /^\S(.*\S)?$/.test(one)
      : typeof one === "number";
  return Array.isArray(value) && value.length > 0 && value.every(isReadable)
    ? value.join("\n")
    : undefined;
}

/** Returns the schema. Throws if a field is invalid; `at` is the path of the schema in the request body. */
export function toSchema(draft: ShapeDraft, at: string): unknown {
  const { type, other, source } = draft;
  if (type === "json") return parseJson(other, at);
  const stored = isObject(source) ? source : {};
  const members: JsonObject = {
    ...readOther(other, `${at}.other`),
    ...writeTexts(type, draft.texts, at),
    ...(type === "array" && writeItems(draft, at)),
    ...(type === "object" && writeMembers(draft, stored, at)),
  };
  const isObjectByProperties = type === "object" && "properties" in stored && !("type" in stored);
  if (type !== "any" && !isObjectByProperties) members.type = type;
  return inOrderOf(stored, members);
}

function readOther(text: string, at: string): JsonObject {
  if (text.trim() === "") return {};
  const value = parseJson(text, at);
  if (!isObject(value)) throw new AppError("validation_failed", `${at}: must be a JSON object`);
  return value;
}

function writeTexts(type: FormType, texts: ShapeDraft["texts"], at: string): JsonObject {
  const written = KEYWORDS[type].flatMap((keyword): [string, unknown][] => {
    const text = texts[keyword] ?? "";
    return text.trim() === "" ? [] : [[keyword, writeText(keyword, type, text, at)]];
  });
  return Object.fromEntries(written);
}

function writeText(keyword: Keyword, type: FormType, text: string, at: string): unknown {
  if (keyword === "description" || keyword === "pattern") return text;
  if (keyword !== "enum") return Number(text);
  const lines = text.split("\n").map((line) => line.trim());
  const values = lines.filter((line) => line !== "");
  if (type === "string") return values;
  if (values.some((value) => Number.isNaN(Number(value)))) {
    throw new AppError("validation_failed", `${at}.enum: must be numbers, one per line`);
  }
  return values.map(Number);
}

const writeItems = ({ items }: ShapeDraft, at: string): JsonObject =>
  items ? { items: toSchema(items, `${at}.items`) } : {};

function writeMembers(draft: ShapeDraft, stored: JsonObject, at: string): JsonObject {
  const { parameters, isClosed } = draft;
  for (const [index, { name }] of parameters.entries()) {
    if (parameters.findIndex((other) => other.name === name) < index) {
      const path = `${at}.parameters[${index}].name`;
      throw new AppError("validation_failed", `${path}: must be unique; another one has this name`);
    }
  }
  const properties = Object.fromEntries(
    parameters.map(({ name, shape }, index) => [
      name,
      toSchema(shape, `${at}.parameters[${index}]`),
    ]),
  );
  const storedNames = isNames(stored.required) ? stored.required : [];
  const known = isObject(stored.properties) ? stored.properties : {};
  const isRequired = (name: string) => parameters.some((one) => one.required && one.name === name);
  const required = [
    // A required name without a property keeps its place.
    ...storedNames.filter((name) => isRequired(name) || !Object.hasOwn(known, name)),
    ...parameters
      .map(({ name }) => name)
      .filter((name) => !storedNames.includes(name) && isRequired(name)),
  ];
  return {
    ...((parameters.length > 0 || "properties" in stored) && { properties }),
    ...((required.length > 0 || "required" in stored) && { required }),
    ...(isClosed === true && { additionalProperties: false }),
    ...(isClosed === false &&
      stored.additionalProperties === true && { additionalProperties: true }),
  };
}

/** Orders the members as in `source`; new ones are last. */
function inOrderOf(source: JsonObject, members: JsonObject): JsonObject {
  const names = [...Object.keys(source), "type", ...Object.keys(members)];
  return Object.fromEntries(
    [...new Set(names)].flatMap((name) => (name in members ? [[name, members[name]]] : [])),
  );
}

/** Changes the type. Keywords without a field are kept. */
export function changeType(draft: ShapeDraft, type: FormType): ShapeDraft {
  if (draft.type !== "json") return { ...draft, type };
  const given = tryParseJson(draft.other);
  if (given === undefined) return draft;
  return isObject(given) && type !== "any" ? toShapeDraft({ ...given, type }) : newShape(type);
}
