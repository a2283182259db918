/** The bodies of providers, by the names of their members. One table: no style is left out by a guess. */
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

/** Written by who builds the application: instructions, and the form an answer shall have. */
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
const readOutput: ValueReader = (out, value, place) =>
  (Array.isArray(value) ? readItems : readConverseOutput)(out, value, place);

export const BODY_READERS = memberReaders({
  // Minimal payloads and the reference responses API.
  input: readInput,
  instructions: readSystem,
  prompt: readObject(memberReaders({ variables: readEvery })),
  output: readOutput, // bedrock converse too

  // Reference chat; anthropic, bedrock converse and cohere send `messages` as well.
  messages: readMessages,
  tools: readDefinitions,
  functions: readDefinitions,
  response_format: readOutputFormat,
  choices: readEach(readChoice),

  // Anthropic; bedrock converse too. Its answer is a message on its own.
  system: readSystem,

  // Google.
  contents: readMessages,
  systemInstruction: readSystem,
  system_instruction: readSystem,
  generationConfig: readOutputFormat,
  candidates: readEach(readObject(memberReaders({ content: readMessage }))),

  // Bedrock converse.
  toolConfig: readObject(memberReaders({ tools: readDefinitions })),

  // Cohere: what was retrieved is as foreign as what a tool gave back.
  documents: readRetrieved,
  tool_results: readRetrieved,
  message: readMessage,
});
