/** The bodies of providers, by the names of their members. One table: no style is left out by a guess. */
import { readContent, readMessage, readMessages } from "./messages.ts";
import { readInput, readItems } from "./responses.ts";
import { readDefinitions } from "./tools.ts";
import {
  byOwnNames,
  byTable,
  eachWith,
  from,
  members,
  nothing,
  type Read,
  readEvery,
  readName,
  readText,
  readUnknown,
} from "./walk.ts";

/** Written by who builds the application: instructions, and the form an answer shall have. */
const readSystem = from("system", readContent);
const readForm = from("system", readUnknown);
const readForeign = from("tool_result", eachWith(byOwnNames(members({ id: readName }))));

const readChoice = byTable(
  members({ message: readMessage, delta: readMessage, text: readText, logprobs: nothing }),
);
const readConverseOutput = byTable(members({ message: readMessage }));
const readOutput: Read = (out, value, place) =>
  (Array.isArray(value) ? readItems : readConverseOutput)(out, value, place);

export const BODY = members({
  // Minimal payloads and the reference responses API.
  input: readInput,
  instructions: readSystem,
  prompt: byTable(members({ variables: readEvery })),
  output: readOutput, // bedrock converse too

  // Reference chat; anthropic, bedrock converse and cohere send `messages` as well.
  messages: readMessages,
  tools: readDefinitions,
  functions: readDefinitions,
  response_format: readForm,
  choices: eachWith(readChoice),

  // Anthropic; bedrock converse too. Its answer is a message on its own.
  system: readSystem,

  // Google.
  contents: readMessages,
  systemInstruction: readSystem,
  system_instruction: readSystem,
  generationConfig: readForm,
  candidates: eachWith(byTable(members({ content: readMessage }))),

  // Bedrock converse.
  toolConfig: byTable(members({ tools: readDefinitions })),

  // Cohere: what was retrieved is as foreign as what a tool gave back.
  documents: readForeign,
  tool_results: readForeign,
  message: readMessage,
});
