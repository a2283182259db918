/** The reference responses API: `instructions`, `input` and `output`, each a text or a list of items. */
import { readContent, readMessage } from "./messages.ts";
import { isObject } from "./payload.ts";
import { readCall, readDefinitions } from "./tools.ts";
import {
  memberReaders,
  readEach,
  readJsonText,
  readObject,
  readUnknown,
  type ValueReader,
  withSource,
} from "./value-readers.ts";

/** A minimal payload's `input` too. Middleware sends the whole body of a request as one text. */
export const readInput: ValueReader = (out, value, place) => {
  if (typeof value === "string" && /^\s*[[{]/.test(value)) readJsonText(out, value, place);
  else readItems(out, value, place);
};

const readItem: ValueReader = (out, value, place) => {
  const type = isObject(value) && typeof value.type === "string" ? value.type : "";
  if (CALL_TYPES.has(type)) return readCall(out, value, place);
  if (type === "mcp_list_tools") return readToolList(out, value, place);
  if (type.endsWith("_output")) return readCallOutput(out, value, place);
  if (type.endsWith("_call")) return readHostedCall(out, value, place);
  readMessage(out, value, place);
};

export const readItems = readEach(readItem);

const CALL_TYPES = new Set([
  "function_call",
  "custom_tool_call",
  "mcp_call",
  "mcp_approval_request",
]);
const readToolList = readObject(memberReaders({ tools: readDefinitions }));
const readCallOutput = withSource(
  "tool_result",
  readObject(memberReaders({ output: readContent })),
);

/** A search, a program or a shell that the provider ran: what was asked, and what came back. */
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
