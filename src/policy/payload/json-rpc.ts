/** Readers of MCP and A2A messages: JSON-RPC envelopes and their contents. */

import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { BODY_READERS } from "./body-readers.ts";
import { readContent, readMessage, readMessages } from "./messages.ts";
import type { PayloadContext } from "./payload.ts";
import { readCall, readDefinitions, withNames } from "./tools.ts";
import {
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

export const isEnvelope = (body: JsonObject, { protocol }: PayloadContext): boolean =>
  typeof body.jsonrpc === "string" ||
  (typeof body.method === "string" && isObject(body.params)) ||
  (protocol === "mcp" && isObject(body.result));

/** Detects `params` or `result` without an envelope, which some clients send for protocol `mcp`. */
export const isBareMcp = (body: JsonObject, { direction, protocol }: PayloadContext): boolean =>
  protocol === "mcp" &&
  (direction === "output" ? !("input" in body) : typeof body.name === "string");

export const isToolCall = ({ method }: JsonObject): boolean => method === "tools/call";

export function envelopeTable(body: JsonObject, about: PayloadContext): MemberReaders {
  if (isToolCall(body)) return TOOL_CALL;
  if (about.protocol === "mcp") return MCP;
  return about.protocol === "a2a" || isA2aResult(body.result) ? A2A : MCP;
}

/** Reads a content block, a list of blocks, or the fields of an elicitation response. */
const readBlocks: ValueReader = (out, value, location) =>
  (isObject(value) && value.type === undefined ? readEvery : readUnknown)(out, value, location);

/** Reads prompts, resources, tools and results, all of which the server wrote. */
export const readMcpResult = withSource(
  "tool_result",
  readDataObject(
    memberReaders({
      tools: withNames(readDefinitions),
      content: readBlocks,
      contents: readUnknown,
      messages: readUnknown,
      prompts: withNames(readUnknown),
      resources: withNames(readUnknown),
      resourceTemplates: withNames(readUnknown),
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

/** In output, the MCP server wrote the system prompt of its `sampling/createMessage`. */
const readSystemPrompt: ValueReader = (out, value, location) =>
  (location.source === "user" ? withSource("system", readText) : readText)(out, value, location);

const readParams = readObject(
  memberReaders({
    name: readName,
    message: readMessage,
    messages: readMessages,
    history: readMessages,
    systemPrompt: readSystemPrompt,
    arguments: readEvery,
  }),
);

const readTask = readObject(
  memberReaders({
    message: readMessage,
    history: readMessages,
    status: readObject(memberReaders({ message: readMessage })),
    artifacts: readEach(readObject(memberReaders({ parts: readContent }))),
  }),
);
const readA2aResult: ValueReader = (out, value, location) =>
  (isObject(value) && typeof value.role === "string" ? readMessage : readTask)(
    out,
    value,
    location,
  );

const readError = withSource("tool_result", readEvery);

/** Includes the members of other bodies: a client may add `jsonrpc` to a chat request. */
const envelopeReaders = (reads: Record<string, ValueReader>): MemberReaders =>
  new Map([...BODY_READERS, ...memberReaders(reads)]);
const TOOL_CALL = envelopeReaders({ params: readCall });
const MCP = envelopeReaders({ params: readParams, result: readMcpResult, error: readError });
const A2A = envelopeReaders({ params: readParams, result: readA2aResult });
