/** Calls a tool of an upstream. The SDK's client takes another 100 µs, and is used only where it is needed (decision 0015). */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type ProgressCallback,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SERVER_INFO_META_KEY,
  specTypeSchemas,
} from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { CLIENT_INFO, type UpstreamConnection } from "./client-pool.ts";
import type { UpstreamTool } from "./tool-definition.ts";

export interface UpstreamToolCall {
  tool: UpstreamTool;
  args: Record<string, unknown> | undefined;
  signal: AbortSignal;
  /** Undefined: the client did not request progress. */
  onprogress: ProgressCallback | undefined;
  /** Headers that continue the trace of the request; empty when it has no trace. */
  trace_headers: Record<string, string>;
}

/** Rejects with a ProtocolError when the server returns an error. */
export async function callUpstreamTool(
  connection: UpstreamConnection,
  { tool, args, signal, onprogress, trace_headers: headers }: UpstreamToolCall,
  timeout: number,
): Promise<CallToolResult> {
  const { name, inputSchema } = tool.definition;
  const params = { name, ...(args === undefined ? {} : { arguments: args }) };
  if (!onprogress && !tool.mirrors_arguments) {
    return await callPlainTool(connection, params, { signal, headers });
  }
  return await connection.client.callTool(params, {
    // Without the output schema, whose regular expressions could block the event loop.
    toolDefinition: { name, inputSchema },
    timeout,
    signal,
    headers,
    ...(onprogress ? { onprogress } : {}),
  });
}

async function callPlainTool(
  connection: UpstreamConnection,
  params: { name: string; arguments?: Record<string, unknown> },
  options: { signal: AbortSignal; headers: Record<string, string> },
): Promise<CallToolResult> {
  const { client, transport } = connection;
  connection.calls += 1;
  const id = FIRST_ID + connection.calls;
  const isModern = client.getProtocolEra() === "modern";
  const _meta = {
    [PROTOCOL_VERSION_META_KEY]: client.getNegotiatedProtocolVersion() ?? "",
    [CLIENT_INFO_META_KEY]: CLIENT_INFO,
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
  const request = {
    jsonrpc: "2.0" as const,
    id,
    method: "tools/call",
    params: isModern ? { ...params, _meta } : params,
  };
  try {
    return readResult(await transport.exchange(request, options), id, isModern);
  } catch (thrown) {
    const isTimeout = thrown instanceof AppError && thrown.code === "upstream_timeout";
    // Servers of the 2025 revisions continue after the connection is closed.
    if (!isModern && (isTimeout || options.signal.aborted)) {
      const notification = { method: "notifications/cancelled", params: { requestId: id } };
      void client.notification(notification).catch(() => {});
    }
    throw thrown;
  }
}

/** Beyond the ids that the client of the SDK counts on the same connection; some servers accept only 32-bit numbers. */
const FIRST_ID = 1_000_000_000;

function readResult(response: unknown, id: number, isModern: boolean): CallToolResult {
  const message = [response].flat().find((one) => isObject(one) && one.id === id);
  if (isObject(message) && isObject(message.error)) {
    const { code, message: text, data } = message.error;
    if (Number.isInteger(code) && typeof text === "string") {
      throw ProtocolError.fromError(Number(code), text, data);
    }
  }
  if (!isObject(message) || !isObject(message.result)) throw invalidResult();
  const { resultType, ...result } = message.result;
  // A server can require no input, because the gateway declares no capability for it.
  if (isModern && resultType !== "complete") throw invalidResult();
  if (isTextResult(result)) return result;
  const parsed = specTypeSchemas.CallToolResult["~standard"].validate(result);
  if (parsed.issues) throw invalidResult();
  return parsed.value;
}

/**
 * Returns true for text alone, as most results are: the schema would change nothing, and takes 70 µs until it is
 * compiled.
 */
function isTextResult(result: JsonObject): result is JsonObject & CallToolResult {
  const { content, isError = false, _meta = {}, ...others } = result;
  return (
    Array.isArray(content) &&
    content.every(isTextBlock) &&
    typeof isError === "boolean" &&
    isObject(_meta) &&
    Object.keys(_meta).every((name) => name === SERVER_INFO_META_KEY) &&
    Object.keys(others).length === 0
  );
}

const isTextBlock = (block: unknown): boolean =>
  isObject(block) &&
  block.type === "text" &&
  typeof block.text === "string" &&
  Object.keys(block).length === 2;

const invalidResult = () =>
  new SdkError(SdkErrorCode.InvalidResult, "The server's response to a tool call is invalid.");
