/** Headers of the HTTP requests to MCP servers. */
import { type JSONRPCMessage, PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/client";
import type { Reply } from "../../net/http/reply.ts";

export const isToolCall = (message: JSONRPCMessage): boolean =>
  "method" in message && message.method === "tools/call";

/** Requests of the 2026 revision name the version, the method and the tool in headers too (SEP-2243). */
export function buildMessageHeaders(
  message: JSONRPCMessage,
  session_id: string | undefined,
  negotiatedVersion: string | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  if (session_id !== undefined) headers["mcp-session-id"] = session_id;
  const claimed = readClaimedVersion(message);
  const version = claimed ?? negotiatedVersion;
  if (version !== undefined) headers["mcp-protocol-version"] = version;
  if (claimed !== undefined && "method" in message) {
    headers["mcp-method"] = message.method;
    if (isToolCall(message)) headers["mcp-name"] = encodeHeaderValue(String(message.params?.name));
  }
  return headers;
}

function readClaimedVersion(message: JSONRPCMessage): string | undefined {
  if (!("method" in message && "id" in message)) return undefined;
  const version = message.params?._meta?.[PROTOCOL_VERSION_META_KEY];
  return typeof version === "string" ? version : undefined;
}

/** Returns whether a request is one of the 2026 revision. */
export const isModern = (message: JSONRPCMessage): boolean =>
  readClaimedVersion(message) !== undefined;

/** Encodes text that a header cannot contain, or that looks encoded, as SEP-2243 defines. */
const encodeHeaderValue = (text: string): string =>
  PLAIN_HEADER_VALUE.test(text) && !ENCODED_HEADER_VALUE.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`;
const PLAIN_HEADER_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
const ENCODED_HEADER_VALUE = /^=\?base64\?.*\?=$/;

/** Headers of the request that resumes the response to a POST. */
export function buildResumeHeaders(
  original: Record<string, string>,
  { headers }: Reply,
  last_event_id: string,
): Record<string, string> {
  const { "content-type": _, "mcp-method": __, "mcp-name": ___, ...rest } = original;
  const session = headers.get("mcp-session-id");
  return {
    ...rest,
    ...(session === undefined ? {} : { "mcp-session-id": session }),
    accept: "text/event-stream",
    "last-event-id": last_event_id,
  };
}
