/** Reads the tool that an evaluation is about, for conditions on `tool.*` (spec 4.3.3). */

import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { isBareMcp, isToolCall } from "./json-rpc.ts";
import { type EvaluatedTool, type PayloadContext, stringOrNull } from "./payload.ts";
import { bareToolName } from "./tools.ts";

export function readTool(body: JsonObject, about: PayloadContext): EvaluatedTool {
  const params = readCallParams(body, about);
  const stamped = (name: keyof typeof FLAT_NAMES) => readAttribute(about.attributes, name);
  const name =
    stringOrNull(bareToolName(params.name)) ?? stringOrNull(bareToolName(stamped("name")));
  // The input of a shell call is its command.
  const isCommand = name !== null && about.direction === "input";
  return {
    name,
    command: stringOrNull(stamped("command")) ?? (isCommand ? stringOrNull(body.input) : null),
    arguments: params.arguments ?? stamped("arguments"),
  };
}

function readCallParams(body: JsonObject, about: PayloadContext): JsonObject {
  if (isToolCall(body)) return isObject(body.params) ? body.params : {};
  return about.direction === "input" && isBareMcp(body, about) ? body : {};
}

/** Reads `{tool: {name}}` or `{"tool.name": …}`. */
function readAttribute(attributes: Readonly<JsonObject>, name: keyof typeof FLAT_NAMES): unknown {
  const nested = isObject(attributes.tool) ? attributes.tool[name] : undefined;
  return nested ?? attributes[FLAT_NAMES[name]];
}

const FLAT_NAMES = {
  name: "tool.name",
  command: "tool.command",
  arguments: "tool.arguments",
} as const;
