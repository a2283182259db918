/** Messages of MCP and A2A: JSON-RPC envelopes, or what stands in them. */
import { readContent, readMessage, readMessages } from "./messages.ts";
import { type About, isObject, type JsonObject } from "./payload.ts";
import { readCall, readDefinitions } from "./tools.ts";
import {
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

export const isEnvelope = (body: JsonObject): boolean =>
  typeof body.jsonrpc === "string" || (typeof body.method === "string" && isObject(body.params));

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

/** Prompts, resources, tools and what they gave back: all of it was written by the server. */
export const readMcpResult = from(
  "tool_result",
  byTable(members({ tools: readDefinitions, structuredContent: readEvery })),
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

const readError = from("tool_result", readUnknown);
const TOOL_CALL = members({ params: readCall });
const MCP = members({ params: readParams, result: readMcpResult, error: readError });
const A2A = members({ params: readParams, result: readA2aResult });
