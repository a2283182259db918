/**
 * Messages and their parts. The styles that send messages (reference chat, anthropic, google, bedrock,
 * cohere, A2A) are read by one table: clients mix them, and no mixture shall hide a text.
 */
import type { Source } from "../segment.ts";
import { isOpaque } from "./opaque.ts";
import { isObject } from "./payload.ts";
import { readCall, readToolCalls, readToolName } from "./tools.ts";
import {
  byOwnNames,
  byTable,
  eachWith,
  from,
  members,
  type Read,
  readData,
  readEvery,
  readMembers,
  readName,
  readText,
  readUnknown,
} from "./walk.ts";

export const readMessage: Read = (out, value, place) => {
  if (!isObject(value)) return readPart(out, value, place);
  // A role that reads as prose is a text, and told as one.
  const named = typeof value.role === "string" && isOpaque("role", value.role, place.source);
  const role = named ? String(value.role) : place.role;
  const source = SOURCE_OF_ROLE.get(role?.toLowerCase() ?? "") ?? place.source;
  readMembers(out, value, { ...place, role, source }, MESSAGE);
};

export const readMessages = eachWith(readMessage);

/** A text, a part or a list of them. */
export const readContent: Read = (out, value, place) => {
  if (typeof value === "string") readText(out, value, place);
  else readParts(out, value, place);
};

const SOURCE_OF_ROLE = new Map<string, Source>([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["role_user", "user"],
  ["assistant", "assistant"],
  ["model", "assistant"],
  ["agent", "assistant"],
  ["role_agent", "assistant"],
  ["chatbot", "assistant"],
  ["tool", "tool_result"],
  ["function", "tool_result"],
]);

/** Cohere tells with an answer what it rests on, as a tool or a document gave it. */
const readSource = byTable(
  members({ tool_output: readEvery, document: byOwnNames(members({ id: readName })) }),
);
const readCitation = byTable(members({ sources: eachWith(readSource) }));

const MESSAGE = members({
  name: readName,
  content: readContent,
  parts: readContent,
  tool_calls: readToolCalls,
  function_call: readCall,
  citations: eachWith(readCitation),
});

const readPart: Read = (out, value, place) => {
  if (typeof value === "string") return readText(out, value, place);
  if (!isObject(value)) return readUnknown(out, value, place);
  const type = typeof value.type === "string" ? value.type : "";
  if (type.endsWith("tool_use")) readCall(out, value, place);
  else if (type.endsWith("tool_result")) readResult(out, value, place);
  else readMembers(out, value, place, PART);
};

const readParts = eachWith(readPart);

const readResult = from(
  "tool_result",
  byTable(members({ name: readToolName, content: readContent, response: readEvery })),
);

const PART = members({
  text: readText,
  json: readEvery,
  data: readData,
  document: byTable(members({ data: readData })),
  toolUse: readCall,
  toolResult: readResult,
  functionCall: readCall,
  function_call: readCall,
  functionResponse: readResult,
  function_response: readResult,
  executableCode: from("tool_arguments", readUnknown),
  codeExecutionResult: from("tool_result", readUnknown),
});
