/** Tools in a payload: what is offered (definitions) and what is asked for (calls), in every style. */
import { createSegment } from "../segment.ts";
import { isOpaque } from "./is-opaque.ts";
import { isObject, type JsonObject } from "./payload.ts";
import {
  childLocation,
  ignoreValue,
  memberReaders,
  readEach,
  readEvery,
  readJsonText,
  readMembers,
  readUnknown,
  type ValueLocation,
  type ValueReader,
  withSource,
} from "./value-readers.ts";

/** spec 4.3.3: the last segment of `mcp__server__tool`. */
export function bareToolName(name: unknown): string {
  if (typeof name !== "string") return "";
  if (!name.startsWith("mcp__")) return name;
  return name.slice(name.lastIndexOf("__") + 2) || name;
}

/** Prose in it is looked at, and never rewritten: whoever takes the copy finds the tool by this name. */
export const readToolName: ValueReader = (out, value, place) => {
  if (typeof value !== "string") readUnknown(out, value, place);
  else if (!isOpaque("id", value, place.source)) {
    out.segments.push(createSegment(value, place.source, { ...place, isName: true }));
  }
};

/** An object with `name` and its arguments, under whichever name the style gives them. */
export const readCall: ValueReader = (out, value, place) => {
  if (!isObject(value)) return readUnknown(out, value, place);
  const inside: ValueLocation = { ...place, source: "tool_arguments" };
  const name = bareToolName(value.name);
  const [member, table] =
    ARGUMENT_MEMBERS.find(([each]) => value[each] !== undefined) ?? NO_ARGUMENTS;
  const call = { name, pointer: place.pointer, arguments: undefined as unknown };
  out.calls.push(call);
  const given = value[member];
  if (typeof given === "string")
    call.arguments = readJsonText(out, given, childLocation(inside, member));
  else {
    call.arguments = given;
    readEvery(out, given, childLocation(inside, member));
  }
  readMembers(out, value, inside, table);
};

/** A call that the provider ran holds what came back as well. */
const readOutput = withSource("tool_result", readUnknown);
const argumentMember = (member: string) =>
  [
    member,
    memberReaders({ name: readToolName, output: readOutput, [member]: ignoreValue }),
  ] as const;
const NO_ARGUMENTS = argumentMember("arguments");
const ARGUMENT_MEMBERS = [NO_ARGUMENTS, argumentMember("args"), argumentMember("input")];

/** Reference chat wraps the call once more; others put it into the list as it is. */
const WRAPPED_CALL_READERS = memberReaders({ function: readCall, custom: readCall });
export const readToolCalls = readEach((out, value, place) => {
  if (!isObject(value) || !(isObject(value.function) || isObject(value.custom))) {
    return readCall(out, value, place);
  }
  readMembers(out, value, { ...place, source: "tool_arguments" }, WRAPPED_CALL_READERS);
});

/** Descriptions and the texts of schemas: a poisoned tool speaks to the model from any of them. */
const readDefinition: ValueReader = (out, value, place) => {
  if (!isObject(value)) return readUnknown(out, value, place);
  const named = typeof value.name === "string";
  if (named) {
    const name = bareToolName(value.name);
    out.definitions.push({ name, pointer: place.pointer, schema: readSchema(value) });
  }
  readMembers(out, value, place, named ? DEFINITION_READERS : WRAPPED_DEFINITION_READERS);
};

const readList = withSource("tool_definition", readEach(readDefinition));
export const readDefinitions: ValueReader = (out, value, place) =>
  readList(out, value, { ...place, role: null });

const DEFINITION_READERS = memberReaders({ name: readToolName });
const WRAPPED_DEFINITION_READERS = memberReaders({
  function: readDefinition,
  custom: readDefinition,
  toolSpec: readDefinition,
  functionDeclarations: readDefinitions,
  function_declarations: readDefinitions,
});

function readSchema(tool: JsonObject): unknown {
  const { inputSchema } = tool;
  // Bedrock wraps the schema, MCP does not.
  if (isObject(inputSchema) && isObject(inputSchema.json)) return inputSchema.json;
  return tool.parameters ?? tool.input_schema ?? inputSchema ?? tool.parametersJsonSchema;
}
