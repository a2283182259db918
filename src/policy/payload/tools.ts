/** Readers of tool definitions and tool calls, in every style. */

import { isBlank, isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { createSegment } from "../segment.ts";
import { isOpaque } from "./is-opaque.ts";
import { FUNCTION_TYPES } from "./is-repeated.ts";
import type { Payload } from "./payload.ts";
import { childLocation, type ValueLocation } from "./value-location.ts";
import {
  ignoreValue,
  listId,
  type MemberReaders,
  memberReaders,
  readEach,
  readEvery,
  readJsonText,
  readMembers,
  readUnknown,
  type ValueReader,
  withSource,
} from "./value-readers.ts";

/** Returns the last segment of `mcp__server__tool` (spec 4.3.3). */
export function bareToolName(name: unknown): string {
  if (typeof name !== "string") return "";
  if (!name.startsWith("mcp__")) return name;
  return name.slice(name.lastIndexOf("__") + 2) || name;
}

/** Reads the name of a tool: prose in it is inspected but never rewritten, since the name identifies the tool. */
export const readToolName: ValueReader = (out, value, location) => {
  if (typeof value !== "string") readUnknown(out, value, location);
  else if (!isOpaque("id", value, location.source)) {
    out.segments.push(createSegment(value, location.source, { ...location, isName: true }));
  } else if (location.source === "tool_result" || bareToolName(value) !== value) {
    // Approvers see calls and definitions by their bare name, which is the same at every server.
    listId(out, value, location, "id");
  }
};

/**
 * Reads an object with `name` and arguments, which styles name differently. One with several of them is as many calls:
 * its receiver reads any.
 */
export const readCall: ValueReader = (out, value, location) => {
  if (!isObject(value)) return readUnknown(out, value, location);
  const inside: ValueLocation = { ...location, source: "tool_arguments" };
  const present = ARGUMENT_NAMES.filter((member) => value[member] !== undefined);
  const filled = present.filter((member) => !isBlank(value[member]));
  const called = filled.length > 0 ? filled : [present[0] ?? "arguments"];
  const name = bareToolName(value.name);
  const { pointer } = location;
  const calls = called.map((member) => ({ name, pointer, arguments: value[member] }));
  out.calls.push(...calls);
  for (const member of present) {
    const input = value[member];
    const at = childLocation(inside, member);
    if (typeof input !== "string") readEvery(out, input, at);
    else {
      const parsed = readJsonText(out, input, at);
      const call = calls[called.indexOf(member)];
      if (call) call.arguments = parsed;
    }
  }
  readMembers(out, value, inside, CALL_READERS);
};

/** A call that the provider executed contains its result as well. */
const readOutput = withSource("tool_result", readUnknown);
/** Names of the arguments. Cohere and Llama use the last one. */
const ARGUMENT_NAMES = ["arguments", "args", "input", "parameters"];
const CALL_READERS = memberReaders({
  name: readToolName,
  output: readOutput,
  error: readOutput,
  ...Object.fromEntries(ARGUMENT_NAMES.map((name) => [name, ignoreValue])),
  // In OpenAI chat, one of these contains the call. In a call without one, a respelled name of it is rejected.
  function: readUnknown,
  custom: readUnknown,
});

/** OpenAI chat wraps each call in an object; other styles do not. */
const WRAPPED_CALL_READERS = memberReaders({ function: readCall, custom: readCall });
export const readToolCalls = readEach((out, value, location) => {
  if (!isObject(value) || !(isObject(value.function) || isObject(value.custom))) {
    return readCall(out, value, location);
  }
  readMembers(out, value, { ...location, source: "tool_arguments" }, WRAPPED_CALL_READERS);
});

/** Reads the description and all texts of the schema, any of which may contain an injection. */
const readDefinition: ValueReader = (out, value, location) => {
  if (!isObject(value)) return readUnknown(out, value, location);
  if (typeof value.name === "string") {
    const name = bareToolName(value.name);
    out.definitions.push({ name, pointer: location.pointer, schema: readSchema(value) });
  }
  const isFunction = typeof value.name === "string" && FUNCTION_TYPES.has(value.type);
  readMembers(out, value, location, isFunction ? FUNCTION_READERS : DEFINITION_READERS);
};

const readList = withSource("tool_definition", readEach(readDefinition));
export const readDefinitions: ValueReader = (out, value, location) =>
  readList(out, value, { ...location, role: null });

/** Reads what an MCP server lists, with the names in it: it can write an instruction without a space. */
export const withNames =
  (read: ValueReader): ValueReader =>
  (out, value, location) => {
    read(out, value, location);
    readNames(out, value, { ...location, source: "tool_definition", role: null }, "");
  };

/** Reads the names of members, and the opaque strings that other readers leave out. `key` is the nearest member. */
function readNames(out: Payload, value: unknown, location: ValueLocation, key: string): void {
  const { source } = location;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      readNames(out, item, childLocation(location, index), key);
  } else if (isObject(value)) {
    for (const name in value) {
      const child = childLocation(location, name);
      addName(out, name, child);
      readNames(out, value[name], child, name);
    }
  } else if (typeof value === "string" && isOpaque(key === "name" ? "id" : key, value, source)) {
    addName(out, value, location);
  }
}

function addName(out: Payload, text: string, location: ValueLocation): void {
  if (out.names.has(text) || VOCABULARY.has(text)) return;
  out.names.add(text);
  out.segments.push(createSegment(text, location.source, { ...location, isName: true }));
}

/** Members of MCP tools and JSON Schema, and values that most schemas have. */
const VOCABULARY: ReadonlySet<string> = new Set([
  ...[
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "_meta",
    "icons",
  ],
  ...[
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
    "execution",
    "taskSupport",
  ],
  ...[
    "$schema",
    "$id",
    "$ref",
    "$defs",
    "$comment",
    "definitions",
    "type",
    "properties",
    "required",
  ],
  ...["additionalProperties", "patternProperties", "propertyNames", "items", "prefixItems", "enum"],
  ...["const", "default", "examples", "format", "pattern", "minLength", "maxLength", "minimum"],
  ...["maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"],
  ...[
    "uniqueItems",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "nullable",
    "deprecated",
  ],
  ...["object", "string", "number", "integer", "boolean", "array", "null"],
  ...["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"],
]);

/** A definition may be wrapped in another object, and a namespace contains several. */
const DEFINITION_READERS = memberReaders({
  name: readToolName,
  tools: readDefinitions,
  function: readDefinition,
  custom: readDefinition,
  toolSpec: readDefinition,
  functionDeclarations: readDefinitions,
  function_declarations: readDefinitions,
});

/**
 * Reads a schema of a function. Not for tools that the provider executes: the same members configure them, and empty
 * values have a meaning there.
 */
const readFunctionSchema: ValueReader = (out, value, location) =>
  readUnknown(out, value, { ...location, isSchema: true });
/** Members of a function that are schemas, of all API styles: upstreams ignore those of others. `response` is Gemini's. */
const FUNCTION_SCHEMAS = [
  ...["parameters", "parametersJsonSchema", "input_schema", "inputSchema"],
  ...["outputSchema", "response"],
];
const FUNCTION_READERS: MemberReaders = new Map([
  ...DEFINITION_READERS,
  ...FUNCTION_SCHEMAS.map((name) => [name, readFunctionSchema] as const),
]);

/** Returns the schemas of a function by the names of their members. */
export function readSchemas(definition: unknown): JsonObject {
  if (!isObject(definition)) return {};
  const names = FUNCTION_SCHEMAS.filter((name) => Object.hasOwn(definition, name));
  return Object.fromEntries(names.map((name) => [name, definition[name]]));
}

function readSchema(tool: JsonObject): unknown {
  const { inputSchema } = tool;
  // Bedrock wraps the schema, MCP does not.
  if (isObject(inputSchema) && isObject(inputSchema.json)) return inputSchema.json;
  return tool.parameters ?? tool.input_schema ?? inputSchema ?? tool.parametersJsonSchema;
}
