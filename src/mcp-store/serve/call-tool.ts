/** Handles tools/call: checks that the caller may use the tool now, then calls its server. */
import { type ProgressCallback, ProtocolError } from "@modelcontextprotocol/client";
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type McpRequestContext,
} from "@modelcontextprotocol/server";
import { AppError } from "../../contract/errors.ts";
import type { Install } from "../../contract/store/installs.ts";
import { measureValue } from "../../lib/json/measure-json.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import type { UpstreamToolCall } from "../upstream/call-upstream-tool.ts";
import { describeUpstreamError } from "../upstream/describe-upstream-error.ts";
import type { MissingInput } from "../upstream/resolve-target.ts";
import type { UpstreamTool } from "../upstream/tool-definition.ts";
import type { CallerServer } from "./caller-servers.ts";
import { buildConnectMessage, buildConnectUrl } from "./connect-link.ts";
import { callConnectTool } from "./connect-tools.ts";
import { guardCall, guardProgress, guardResult } from "./guard-call.ts";
import { listOfferedTools } from "./list-offered-tools.ts";
import { isPrincipal, type McpSession } from "./session.ts";
import { callStoreTool } from "./store-tools.ts";
import { readPrefix } from "./tool-names.ts";
import { errorResult, toErrorResult, toLegacyResult } from "./tool-result.ts";

export interface ToolCallRequest {
  /** `modern` is the revision of 2026. */
  era: McpRequestContext["era"];
  name: string;
  args: Record<string, unknown> | undefined;
  signal: AbortSignal;
  /** Undefined: the client did not request progress. */
  onprogress: ProgressCallback | undefined;
  /** The client can open links, and this call is not its response to one. */
  opens_links: boolean;
}

/** Returns every failure as a result with HTTP 200. */
export async function callTool(
  session: McpSession,
  request: ToolCallRequest,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    return await dispatchCall(session, request);
  } catch (thrown) {
    const error = AppError.from(thrown);
    if (error.code !== "internal") return toErrorResult(error);
    const { trace_id } = session.author;
    session.deps.log("tool_call_broke", { level: "error", trace_id, error: error.cause });
    return errorResult(`${error.message} (${trace_id})`);
  }
}

async function dispatchCall(
  session: McpSession,
  request: ToolCallRequest,
): Promise<CallToolResult | InputRequiredResult> {
  const ownResult =
    (isPrincipal(session) ? await callStoreTool(session, request) : undefined) ??
    (await callConnectTool(session, request.name));
  if (ownResult) return ownResult;

  const prefix = readPrefix(request.name);
  const server = session.servers.find(
    (one) => one.prefix.long === prefix || one.prefix.short === prefix,
  );
  if (!server) return errorResult(unknownToolMessage(request.name));
  if (server.suspended_because !== null) {
    return errorResult(`${server.instance.name} ${SUSPENDED[server.suspended_because]}`);
  }
  const { tool, missing, refusal } = await findTool(session, server, request.name);
  if (missing) return toConnectResult(session, server, request, missing);
  return tool ? await runGuardedCall(session, server, request, tool) : errorResult(refusal ?? "");
}

const SUSPENDED: Record<NonNullable<Install["suspended_because"]>, string> = {
  access: "is not available to you: your access was removed.",
  instance_disabled: "was disabled by an administrator.",
  authorization_server_changed:
    "is suspended: it advertises a different authorization server, which an administrator must confirm.",
  grant_ended: "is suspended: its approval has expired. Request it again with store_install.",
  not_in_catalog: "is no longer in the Store.",
};

interface ToolLookup {
  tool?: UpstreamTool;
  missing?: MissingInput;
  refusal?: string;
}

/** Finds a tool by its exposed name; otherwise returns why it cannot be used. */
async function findTool(
  session: McpSession,
  server: CallerServer,
  exposed: string,
): Promise<ToolLookup> {
  const { instance } = server;
  const { tools, names, withheld, notes, missing } = await listOfferedTools(session, server);
  if (missing) return { missing };
  const exposedNames = session.nameTools(server, names);
  const found = tools.find(({ shown }) => exposedNames.get(shown.name) === exposed);
  if (found) return { tool: found.tool };
  const [, reason] = [...withheld].find(([name]) => exposedNames.get(name) === exposed) ?? [];
  if (reason) return { refusal: reason.refusal };
  const [note] = names.length === 0 ? notes : [];
  return {
    refusal: note ? `${instance.name} is unavailable. ${note}` : unknownToolMessage(exposed),
  };
}

const unknownToolMessage = (name: string): string =>
  `Unknown tool "${name}". List the tools again.`;

async function runGuardedCall(
  session: McpSession,
  server: CallerServer,
  request: ToolCallRequest,
  tool: UpstreamTool,
): Promise<CallToolResult | InputRequiredResult> {
  const { signal } = request;
  const onprogress = request.onprogress && guardProgress(session, request.onprogress);
  const { definition, hash } = tool;
  const call = { tool: definition.name, hash, server: server.instance, args: request.args };
  const before = await guardCall(session, call, signal);
  if ("refusal" in before) return before.refusal;
  const startedAt = elapsedMs();
  const result = await callServer(session, server, {
    tool,
    args: before.pass,
    signal,
    onprogress,
    trace_headers: session.trace_headers,
  });
  if (typeof result === "string") return toConnectResult(session, server, request, result);
  session.deps.log("tool_call", {
    trace_id: session.author.trace_id,
    caller: session.author.actor.name,
    gateway_id: server.instance.gateway_id,
    instance_id: server.instance.id,
    tool: call.tool,
    failed: result.isError === true,
    ms: Math.round(elapsedMs() - startedAt),
  });
  session.memory.add(measureValue(result));
  const after = await guardResult(session, call, result);
  if ("refusal" in after) return after.refusal;
  return request.era === "legacy" ? toLegacyResult(after.pass) : after.pass;
}

/** Returns a failure of the server as an error result. */
async function callServer(
  session: McpSession,
  server: CallerServer,
  call: UpstreamToolCall,
): Promise<CallToolResult | MissingInput> {
  try {
    return await session.upstreams.call(server, call);
  } catch (thrown) {
    // Protocol errors describe the arguments, so the caller gets the server's message.
    if (thrown instanceof ProtocolError) return errorResult(thrown.message);
    const reason = describeUpstreamError(thrown);
    const { id, gateway_id, name } = server.instance;
    session.deps.log("tool_call_failed", { level: "warn", gateway_id, instance_id: id, reason });
    return errorResult(`${name} failed. ${reason}`);
  }
}

/** Returns the connect link as an elicitation for clients that open links, else as text. */
function toConnectResult(
  { origin }: McpSession,
  { instance, install }: CallerServer,
  { opens_links }: ToolCallRequest,
  missing: MissingInput,
): CallToolResult | InputRequiredResult {
  if (!install)
    return errorResult(`${instance.name} requires an account, and consumers have none.`);
  const url = buildConnectUrl(origin, install);
  const message = buildConnectMessage(instance.name, missing, url);
  if (!opens_links) return { ...errorResult(message), structuredContent: { connect_url: url } };
  return inputRequired({ inputRequests: { connect: inputRequired.elicitUrl({ message, url }) } });
}
