/** Readers of the members of provider request and response bodies, in one table for all styles. */
import { readContent, readMessage, readMessages } from "./messages.ts";
import { readInput, readItems } from "./responses-api.ts";
import { readDefinitions } from "./tools.ts";
import {
  ignoreValue,
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
const readConverseOutput = readObject(memberReaders({ message: readMessage }));
const readOutput: ValueReader = (out, value, location) =>
  (Array.isArray(value) ? readItems : readConverseOutput)(out, value, location);

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

export const BODY_READERS = memberReaders({
  // Minimal payloads and the OpenAI Responses API.
  input: withTokens(readInput),
  instructions: readSystem,
  prompt: withTokens(readObject(memberReaders({ variables: readEvery }))), // text in OpenAI completions
  output: readOutput, // Bedrock Converse too

  // OpenAI chat; Anthropic, Bedrock Converse and Cohere send `messages` as well.
  messages: readMessages,
  tools: readDefinitions,
  functions: readDefinitions,
  response_format: readOutputFormat,
  choices: readEach(readChoice),

  // Anthropic and Bedrock Converse. A response of Anthropic is a message itself.
  system: readSystem,

  // Google.
  contents: readMessages,
  systemInstruction: readSystem,
  system_instruction: readSystem,
  generationConfig: readOutputFormat,
  candidates: readEach(readObject(memberReaders({ content: readMessage }))),

  // Bedrock Converse.
  toolConfig: readObject(memberReaders({ tools: readDefinitions })),

  // Cohere: retrieved documents are as untrusted as tool results.
  documents: readRetrieved,
  tool_results: readRetrieved,
  message: readMessage,
});
