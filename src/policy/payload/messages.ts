/**
 * Messages and their parts. The styles that send messages (reference chat, anthropic, google, bedrock,
 * cohere, A2A) are read by one table: clients mix them, and no mixture shall hide a text.
 */
import type { SegmentSource } from "../segment.ts";
import { isOpaque } from "./is-opaque.ts";
import { isObject } from "./payload.ts";
import { readCall, readToolCalls, readToolName } from "./tools.ts";
import {
  memberReaders,
  readData,
  readDataObject,
  readEach,
  readEvery,
  readMembers,
  readName,
  readObject,
  readText,
  readUnknown,
  type ValueReader,
  withSource,
} from "./value-readers.ts";

export const readMessage: ValueReader = (out, value, place) => {
  if (!isObject(value)) return readPart(out, value, place);
  // A role that reads as prose is a text, and told as one.
  const named = typeof value.role === "string" && isOpaque("role", value.role, place.source);
  const role = named ? String(value.role) : place.role;
  const source = SOURCE_BY_ROLE.get(role?.toLowerCase() ?? "") ?? place.source;
  readMembers(out, value, { ...place, role, source }, MESSAGE_READERS);
};

export const readMessages = readEach(readMessage);

/** A text, a part or a list of them. */
export const readContent: ValueReader = (out, value, place) => {
  if (typeof value === "string") readText(out, value, place);
  else readParts(out, value, place);
};

const SOURCE_BY_ROLE = new Map<string, SegmentSource>([
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
const readSource = readObject(
  memberReaders({
    tool_output: readEvery,
    document: readDataObject(memberReaders({ id: readName })),
  }),
);
const readCitation = readObject(memberReaders({ sources: readEach(readSource) }));

const MESSAGE_READERS = memberReaders({
  name: readName,
  content: readContent,
  parts: readContent,
  tool_calls: readToolCalls,
  function_call: readCall,
  citations: readEach(readCitation),
});

const readPart: ValueReader = (out, value, place) => {
  if (typeof value === "string") return readText(out, value, place);
  if (!isObject(value)) return readUnknown(out, value, place);
  const type = typeof value.type === "string" ? value.type : "";
  if (type.endsWith("tool_use")) readCall(out, value, place);
  else if (type.endsWith("tool_result")) readToolResult(out, value, place);
  else readMembers(out, value, place, PART_READERS);
};

const readParts = readEach(readPart);

const readToolResult = withSource(
  "tool_result",
  readObject(memberReaders({ name: readToolName, content: readContent, response: readEvery })),
);

const PART_READERS = memberReaders({
  text: readText,
  json: readEvery,
  data: readData,
  document: readObject(memberReaders({ data: readData })),
  toolUse: readCall,
  toolResult: readToolResult,
  functionCall: readCall,
  function_call: readCall,
  functionResponse: readToolResult,
  function_response: readToolResult,
  executableCode: withSource("tool_arguments", readUnknown),
  codeExecutionResult: withSource("tool_result", readUnknown),
});
