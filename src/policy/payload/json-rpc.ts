/** Messages of MCP and A2A: JSON-RPC envelopes, or what stands in them. */
import { readContent, readMessage, readMessages } from "./messages.ts";
import { type About, isObject, type JsonObject } from "./payload.ts";
import { readCall, readDefinitions } from "./tools.ts";
import {
  byOwnNames,
  byTable,
  eachWith,
  from,
  type Members,
  members,
  type Read,
  readEvery,
  readName,
  readText,
  readUnknown,
} from "./walk.ts";

export const isEnvelope = (body: JsonObject, { protocol }: About): boolean =>
  typeof body.jsonrpc === "string" ||
  (typeof body.method === "string" && isObject(body.params)) ||
  (protocol === "mcp" && isObject(body.result));

/** Under protocol `mcp` some clients send `params` or `result` without the envelope. */
export const isBareMcp = (body: JsonObject, { direction, protocol }: About): boolean =>
  protocol === "mcp" &&
  (direction === "output" ? !("input" in body) : typeof body.name === "string");

export const isToolCall = ({ method }: JsonObject): boolean => method === "tools/call";

export function envelopeTable(body: JsonObject, about: About): Members {
  if (isToolCall(body)) return TOOL_CALL;
  if (about.protocol === "mcp") return MCP;
  return about.protocol === "a2a" || isA2aResult(body.result) ? A2A : MCP;
}

/** A block, a list of them, or what a person answered by the names of a form. */
const readBlocks: Read = (out, value, place) =>
  (isObject(value) && value.type === undefined ? readEvery : readUnknown)(out, value, place);

/** Prompts, resources, tools and what they gave back: all of it was written by the server. */
export const readMcpResult = from(
  "tool_result",
  byOwnNames(
    members({
      tools: readDefinitions,
      content: readBlocks,
      contents: readUnknown,
      messages: readUnknown,
      prompts: readUnknown,
      resources: readUnknown,
      resourceTemplates: readUnknown,
      _meta: readUnknown,
      model: readName,
      nextCursor: readName,
      protocolVersion: readName,
      role: readName,
      stopReason: readName,
    }),
  ),
);

const isA2aResult = (result: unknown): boolean =>
  isObject(result) && (Array.isArray(result.parts) || typeof result.kind === "string");

const readParams = byTable(
  members({
    name: readName,
    message: readMessage,
    messages: readMessages,
    history: readMessages,
    systemPrompt: from("system", readText),
    arguments: readEvery,
  }),
);

const readTask = byTable(
  members({
    message: readMessage,
    history: readMessages,
    status: byTable(members({ message: readMessage })),
    artifacts: eachWith(byTable(members({ parts: readContent }))),
  }),
);
const readA2aResult: Read = (out, value, place) =>
  (isObject(value) && typeof value.role === "string" ? readMessage : readTask)(out, value, place);

const readError = from("tool_result", readEvery);
const TOOL_CALL = members({ params: readCall });
const MCP = members({ params: readParams, result: readMcpResult, error: readError });
const A2A = members({ params: readParams, result: readA2aResult });
