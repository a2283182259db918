/** Readers of the members of provider request and response bodies, in one table for all styles. */
import { readContent, readMessage, readMessages } from "./messages.ts";
import { readInput, readItems, readPossibleItems } from "./responses-api.ts";
import { readDefinitions } from "./tools.ts";
import {
  ignoreValue,
  type MemberReaders,
  memberReaders,
  readDataObject,
  readEach,
  readEvery,
  readName,
  readObject,
  readText,
  readUnknown,
  type ValueReader,
  withSource,
} from "./value-readers.ts";

/** Written by the application's developer: instructions and output formats. */
const readSystem = withSource("system", readContent);
const readOutputFormat = withSource("system", readUnknown);
const readRetrieved = withSource(
  "tool_result",
  readEach(readDataObject(memberReaders({ id: readName }))),
);

const readChoice = readObject(
  memberReaders({
    message: readMessage,
    delta: readMessage,
    text: readText,
    logprobs: ignoreValue,
  }),
);
const readWrappedMessage = readObject(memberReaders({ message: readMessage }));
const readOutput: ValueReader = (out, value, location) =>
  (Array.isArray(value) ? readItems : readWrappedMessage)(out, value, location);

const isToken = (value: unknown): boolean =>
  Array.isArray(value) ? typeof value[0] === "number" : typeof value === "number";

/** Lists token ids of an embedding or completion as uninspected: their text depends on the model. */
const withTokens =
  (read: ValueReader): ValueReader =>
  (out, value, location) => {
    if (Array.isArray(value) && value.some(isToken)) {
      const detail = "Token ids are not decoded.";
      out.uninspected.push({ pointer: location.pointer, reason: "binary", detail });
    }
    read(out, value, location);
  };

/** Reads a body inside another one. */
const readBody: ValueReader = (out, value, location) =>
  readObject(BODY_READERS)(out, value, location);

export const BODY_READERS: MemberReaders = memberReaders({
  // Minimal payloads and the OpenAI Responses API.
  input: withTokens(readInput),
  instructions: readSystem,
  prompt: withTokens(readObject(memberReaders({ variables: readEvery }))), // text in OpenAI completions
  output: readOutput, // Bedrock Converse too
  items: readPossibleItems, // of a conversation
  data: readPossibleItems, // lists of items
  // Of an event.
  response: readBody,
  item: readItems,
  content_block: readContent,
  delta: readMessage,

  // OpenAI chat; Anthropic, Bedrock Converse and Cohere send `messages` as well.
  messages: readMessages,
  tools: readDefinitions,
  functions: readDefinitions,
  response_format: readOutputFormat,
  choices: readEach(readChoice),

  // Anthropic and Bedrock Converse. A response of Anthropic is a message itself, with or without a role.
  system: readSystem,
  content: (out, value, location) =>
    (typeof value === "string" ? readUnknown : readContent)(out, value, location),
  // Requests and results of a batch.
  requests: readEach(readObject(memberReaders({ params: readBody }))),
  lines: readEach(readObject(memberReaders({ result: readWrappedMessage }))),

  // Google.
  contents: readMessages,
  systemInstruction: readSystem,
  system_instruction: readSystem,
  generationConfig: readOutputFormat,
  generateContentRequest: readBody,
  generate_content_request: readBody,
  candidates: readEach(readObject(memberReaders({ content: readMessage }))),

  // Bedrock Converse.
  toolConfig: readObject(memberReaders({ tools: readDefinitions })),

  // Cohere: retrieved documents are as untrusted as tool results.
  documents: readRetrieved,
  tool_results: readRetrieved,
  message: readMessage,
});
