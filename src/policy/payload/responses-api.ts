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
  const read = isObject(value) && findItemReader(value.type);
  if (!read) return readMessage(out, value, location);
  if (typeof value.role !== "string") return read(out, value, location);
  // llama.cpp reads an item with a role as a message, of any type.
  const { role, content, ...others } = value;
  readMessage(out, { role, content }, location);
  read(out, others, location);
};

/** Returns the reader of an item that is not a message. */
function findItemReader(type: unknown): ValueReader | undefined {
  if (typeof type !== "string") return undefined;
  const known = ITEM_READERS.get(type);
  if (known) return known;
  if (type.endsWith("_output")) return readCallOutput;
  return type.endsWith("_call") ? readHostedCall : undefined;
}

export const readItems = readEach(readItem);

/** Reads a member that is a list of items in some formats. */
export const readPossibleItems = readEach((out, value, location) =>
  (isObject(value) ? readItem : readData)(out, value, location),
);

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

/** Written by the model in an earlier turn. */
const readModelItem = withSource("assistant", readMessage);

const ITEM_READERS = memberReaders({
  function_call: readCall,
  custom_tool_call: readCall,
  mcp_call: readCall,
  mcp_approval_request: readCall,
  mcp_list_tools: readObject(memberReaders({ tools: readDefinitions, error: readHostedResult })),
  reasoning: readModelItem,
  compaction: readModelItem,
});
