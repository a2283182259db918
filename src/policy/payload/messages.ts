/**
 * Readers of messages and their parts. One table covers all styles (OpenAI, Anthropic, Google, Bedrock, Cohere, A2A),
 * because clients mix them and no mixture may hide text.
 */

import { isObject } from "../../lib/json/json-object.ts";
import type { SegmentSource } from "../segment.ts";
import { isOpaque } from "./is-opaque.ts";
import { readCall, readDefinitions, readToolCalls, readToolName } from "./tools.ts";
import {
  asFile,
  memberReaders,
  readBase64,
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

export const readMessage: ValueReader = (out, value, location) => {
  if (!isObject(value)) return readPart(out, value, location);
  // A role that contains prose is inspected as text and not used as a role.
  const named = typeof value.role === "string" && isOpaque("role", value.role, location.source);
  const role = named ? String(value.role) : location.role;
  const source = SOURCE_BY_ROLE.get(role?.toLowerCase() ?? "") ?? location.source;
  readMembers(out, value, { ...location, role, source }, MESSAGE_READERS);
};

export const readMessages = readEach(readMessage);

/** Reads text, a part or a list of parts. */
export const readContent: ValueReader = (out, value, location) => {
  if (typeof value === "string") readText(out, value, location);
  else readParts(out, value, location);
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

/** Reads a source that Cohere cites: the output of a tool or a document. */
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
  tools: readDefinitions, // `additional_tools` of the Responses API
  citations: readEach(readCitation),
});

const readPart: ValueReader = (out, value, location) => {
  if (typeof value === "string") return readText(out, value, location);
  if (!isObject(value)) return readUnknown(out, value, location);
  const type = typeof value.type === "string" ? value.type : "";
  if (type.endsWith("tool_use")) readCall(out, value, location);
  else if (/(?:tool|search)_result$/.test(type)) readToolResult(out, value, location);
  else readMembers(out, value, location, PART_READERS);
};

const readParts = readEach(readPart);

const readToolResult = withSource(
  "tool_result",
  readObject(memberReaders({ name: readToolName, content: readContent, response: readEvery })),
);

const readAudioObject = readObject(memberReaders({ data: readBase64 }));
/** Mistral sends the bytes, OpenAI an object with them. */
const readAudio: ValueReader = (out, value, location) =>
  (typeof value === "string" ? readBase64 : readAudioObject)(out, value, location);

/** Members of a file that may be plain text. Encoded files are recognized in any member. */
const readFileSource = asFile(readUnknown);
const readFileData = asFile(readBase64);

/** Code that Gemini executed, and its result. */
const readCode = withSource("tool_arguments", readUnknown);
const readCodeResult = withSource("tool_result", readUnknown);

const PART_READERS = memberReaders({
  text: readText,
  json: readEvery,
  data: readData,
  input_audio: readAudio,
  source: readFileSource,
  file_data: readFileData,
  file: readObject(memberReaders({ file_data: readFileData })),
  document: readObject(memberReaders({ data: asFile(readData), source: readFileSource })),
  toolUse: readCall,
  toolResult: readToolResult,
  functionCall: readCall,
  function_call: readCall,
  functionResponse: readToolResult,
  function_response: readToolResult,
  executableCode: readCode,
  executable_code: readCode,
  codeExecutionResult: readCodeResult,
  code_execution_result: readCodeResult,
});
