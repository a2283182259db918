/** The reference responses API: `instructions`, `input` and `output`, each a text or a list of items. */
import { readContent, readMessage } from "./messages.ts";
import { isObject } from "./payload.ts";
import { readCall, readDefinitions } from "./tools.ts";
import { byTable, eachWith, from, members, type Read, readJsonText, readUnknown } from "./walk.ts";

/** A minimal payload's `input` too. Middleware sends the whole body of a request as one text. */
export const readInput: Read = (out, value, place) => {
  if (typeof value === "string" && /^\s*[[{]/.test(value)) readJsonText(out, value, place);
  else readItems(out, value, place);
};

const readItem: Read = (out, value, place) => {
  const type = isObject(value) && typeof value.type === "string" ? value.type : "";
  if (CALLS.has(type)) return readCall(out, value, place);
  if (type === "mcp_list_tools") return readToolList(out, value, place);
  if (type.endsWith("_output")) return readCallOutput(out, value, place);
  if (type.endsWith("_call")) return readHostedCall(out, value, place);
  readMessage(out, value, place);
};

export const readItems = eachWith(readItem);

const CALLS = new Set(["function_call", "custom_tool_call", "mcp_call", "mcp_approval_request"]);
const readToolList = byTable(members({ tools: readDefinitions }));
const readCallOutput = from("tool_result", byTable(members({ output: readContent })));

/** A search, a program or a shell that the provider ran: what was asked, and what came back. */
const readBack = from("tool_result", readUnknown);
const readHostedCall = from(
  "tool_arguments",
  byTable(members({ output: readBack, outputs: readBack, results: readBack })),
);
