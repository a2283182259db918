/** Readers of the OpenAI Responses API: `input` and `output` are text or a list of items. */

import { isObject } from "../../lib/json/json-object.ts";
import { readContent, readMessage } from "./messages.ts";
import { readCall, readDefinitions } from "./tools.ts";
import {
  memberReaders,
  readData,
  readEach,
  readJsonText,
  readObject,
  readUnknown,
  type ValueReader,
  withSource,
} from "./value-readers.ts";

/** Reads `input`, also of minimal payloads. Middleware may send a whole request body as one string. */
export const readInput: ValueReader = (out, value, location) => {
  if (typeof value === "string" && /^\s*[[{]/.test(value)) readJsonText(out, value, location);
  else readItems(out, value, location);
};

const readItem: ValueReader = (out, value, location) => {
  const type = isObject(value) && typeof value.type === "string" ? value.type : "";
  if (CALL_TYPES.has(type)) return readCall(out, value, location);
  if (type === "mcp_list_tools") return readToolList(out, value, location);
  if (type.endsWith("_output")) return readCallOutput(out, value, location);
  if (type.endsWith("_call")) return readHostedCall(out, value, location);
  readMessage(out, value, location);
};

export const readItems = readEach(readItem);

/** Reads a member that is a list of items in some formats. */
export const readPossibleItems = readEach((out, value, location) =>
  (isObject(value) ? readItem : readData)(out, value, location),
);

const CALL_TYPES = new Set([
  "function_call",
  "custom_tool_call",
  "mcp_call",
  "mcp_approval_request",
]);
const readToolList = readObject(memberReaders({ tools: readDefinitions }));
const readCallOutput = withSource(
  "tool_result",
  // A search for tools returns their definitions.
  readObject(memberReaders({ output: readContent, tools: readDefinitions })),
);

/** Reads a call that the provider executed, such as a search or a shell: its arguments and its result. */
const readHostedResult = withSource("tool_result", readUnknown);
const readHostedCall = withSource(
  "tool_arguments",
  readObject(
    memberReaders({
      output: readHostedResult,
      outputs: readHostedResult,
      results: readHostedResult,
    }),
  ),
);
