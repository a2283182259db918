/** Calls a tool of an upstream. The SDK's client is used only where it is needed (decision 0015). */
import {
  type CallToolResult,
  type ProgressCallback,
  specTypeSchemas,
} from "@modelcontextprotocol/client";
import { isEmptyObject, isObject, type JsonObject } from "../../lib/json/json-object.ts";
import type { UpstreamConnection } from "./client-pool.ts";
import { checkMeta, invalidResult, readContent } from "./read-content.ts";
import { sendPlainRequest } from "./send-plain-request.ts";
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
    const request = { method: "tools/call" as const, params };
    return readToolResult(await sendPlainRequest(connection, request, { signal, headers }));
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

function readToolResult(result: JsonObject): CallToolResult {
  checkMeta(result);
  if (isTextResult(result)) return result;
  const { content = [], ...others } = result;
  const blocks = readContent(content);
  const parsed = specTypeSchemas.CallToolResult["~standard"].validate({ ...others, content: [] });
  if (parsed.issues) throw invalidResult();
  return { ...parsed.value, content: blocks };
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
    isEmptyObject(_meta) &&
    isEmptyObject(others)
  );
}

const isTextBlock = (block: unknown): boolean =>
  isObject(block) &&
  block.type === "text" &&
  typeof block.text === "string" &&
  Object.keys(block).length === 2;
