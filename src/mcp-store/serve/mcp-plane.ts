/** The MCP endpoint: serves all revisions of the protocol, and shows each caller what it may use. */
import {
  createMcpHandler,
  isInitializeRequest,
  type McpRequestContext,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { continueTrace } from "../../lib/http/trace-context.ts";
import type { RequestIds } from "../../route.ts";
import { createMemoryReservations, type MemoryReservation } from "../memory-reservations.ts";
import { openUpstreams } from "../upstream/upstreams.ts";
import { callTool, type ToolCallRequest } from "./call-tool.ts";
import { policySubject } from "./guard-call.ts";
import { createToolGuard } from "./guard-tools.ts";
import { identifyMcpCaller, type McpCaller } from "./identify-mcp-caller.ts";
import { type CallerServer, listCallerServers } from "./list-caller-servers.ts";
import { listTools } from "./list-tools.ts";
import { readMessage } from "./read-message.ts";
import { runRequestPlugins } from "./run-request-plugins.ts";
import { createRunningRequests, readMember } from "./running-requests.ts";
import { isPrincipal, type McpSession } from "./session.ts";
import { errorResult, toErrorResult } from "./tool-result.ts";
import { watchChanges } from "./watch-changes.ts";

export interface McpRequest extends RequestIds {
  /** The consumer in the path; undefined at the path of principals. */
  slug: string | undefined;
  origin: string;
  /** The address of the caller, as far as proxies can be believed. */
  client: string;
  /** Go out with the answer, an error's too. */
  headers: Record<string, string>;
}

export interface McpPlane {
  respond: (request: Request, asked: McpRequest) => Promise<Response>;
  /** Ends what would never end by itself: streams of clients that listen for changes. */
  drain: () => void;
  stop: () => Promise<void>;
}

export function openMcpPlane(deps: Deps): McpPlane {
  const reserveMemory = createMemoryReservations(deps.settings);
  const upstreams = openUpstreams(deps, reserveMemory);
  const toolGuard = createToolGuard();
  const running = createRunningRequests();
  const draining = new AbortController();
  const endpoint = createMcpHandler(
    // What `answer` below put there, handed through by the SDK as it is.
    ({ authInfo, era }) => createMcpServer(authInfo?.extra?.session as McpSession, era),
    {
      onerror: (error) => deps.log("mcp_refused", { level: "debug", error }),
    },
  );

  const watching = watchChanges(deps, () => endpoint.notify.toolsChanged());

  async function serve(
    request: Request,
    { origin, client, headers, request_id, trace_id }: McpRequest,
    {
      caller,
      hold,
      afterwards,
    }: { caller: McpCaller; hold: MemoryReservation; afterwards: DisposableStack },
  ): Promise<Response> {
    const message = await readMessage(deps, request, hold);
    const sender = { caller, session_id: request.headers.get("mcp-session-id") };
    // Before the rate limits: a cancellation only saves work.
    running.cancel(sender, message);
    const cost = Array.isArray(message) ? message.length : 1;
    await runRequestPlugins(deps, request, caller, { client, cost, reply_headers: headers });
    const session: McpSession = {
      deps,
      upstreams,
      toolGuard,
      caller,
      servers: await listCallerServers(deps, caller),
      origin,
      author: { actor: { id: null, name: callerName(caller) }, request_id, trace_id },
      memory: hold,
      cleanup: afterwards,
      trace_headers: continueTrace(request.headers, request_id),
      client_info: { client_address: client, user_agent: request.headers.get("user-agent") },
    };
    const authInfo = { token: "", clientId: "", scopes: [], extra: { session } };
    const started = running.begin(sender, message);
    afterwards.defer(started.end);
    const signals = [request.signal, started.signal];
    const forSdk = new Request(request.url, {
      method: request.method,
      headers: withBothMediaTypes(request.headers),
      signal: AbortSignal.any(isListenRequest(message) ? [...signals, draining.signal] : signals),
    });
    const response = await endpoint.fetch(forSdk, { authInfo, parsedBody: message });
    // The SDK has no server to close at the end of this stream, and nothing of the request is held.
    if (isListenRequest(message)) afterwards.dispose();
    // Names the client in its later requests, for cancellation; nothing is stored under it.
    if (isInitializeRequest(message)) response.headers.set("mcp-session-id", deps.newId());
    return response;
  }

  return {
    async respond(request, asked) {
      if (request.method !== "POST") {
        const details = { allow: "POST" };
        throw new AppError("method_not_allowed", "The MCP endpoint takes POST.", { details });
      }
      const caller = await identifyMcpCaller(deps, request, asked);
      const hold = reserveMemory(`${caller.kind} ${caller.gateway_id} ${policySubject(caller)}`);
      const afterwards = new DisposableStack();
      afterwards.defer(hold.release);
      try {
        const response = await serve(request, asked, { caller, hold, afterwards });
        // A stream is being sent: the SDK closes its server at the end.
        if (!isStream(response)) afterwards.dispose();
        return response;
      } catch (thrown) {
        afterwards.dispose();
        throw thrown;
      }
    },
    drain: () => draining.abort(),
    async stop() {
      watching.stop();
      await endpoint.close();
      upstreams.stop();
    },
  };
}

const isStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") ?? false;

/** Not by the `Mcp-Method` header, which the SDK ignores for clients of the 2025 era. */
const isListenRequest = (message: unknown): boolean =>
  readMember(message, "method") === "subscriptions/listen";

/** The SDK insists on both media types by name. */
function withBothMediaTypes(sent: Headers): Headers {
  const headers = new Headers(sent);
  if (/^$|\*/.test(sent.get("accept") ?? "")) {
    headers.set("accept", "application/json, text/event-stream");
  }
  return headers;
}

const callerName = (caller: McpCaller): string =>
  caller.kind === "principal" ? caller.principal_sub : caller.name;

function createMcpServer(session: McpSession, era: McpRequestContext["era"]): Server {
  const server = new Server(
    { name: "portcullis", version: `1-${fingerprint(session.servers)}` },
    {
      // Clients of the older era have no stream here on which they could be told.
      capabilities: { tools: { listChanged: era === "modern" } },
      ...(isPrincipal(session) ? { instructions: INSTRUCTIONS } : {}),
    },
  );
  server.onclose = () => session.cleanup.dispose();
  server.setRequestHandler("tools/list", async () => ({ tools: await listTools(session) }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const capabilities = server.getClientCapabilities();
    const asked: ToolCallRequest = {
      name: params.name,
      args: params.arguments,
      signal: mcpReq.signal,
      onprogress: createProgressCallback(mcpReq),
      opens_links:
        mcpReq.envelope !== undefined &&
        capabilities?.elicitation?.url !== undefined &&
        mcpReq.inputResponses === undefined,
    };
    try {
      return await callTool(session, asked);
    } catch (thrown) {
      const error = AppError.from(thrown);
      const { trace_id } = session.author;
      if (error.code === "internal") {
        session.deps.log("tool_call_broke", { level: "error", trace_id, error: error.cause });
        return errorResult(`${error.message} (${trace_id})`);
      }
      return toErrorResult(error);
    }
  });
  return server;
}

/** Undefined: the client did not ask. One that has left by then is told nothing. */
function createProgressCallback({
  _meta,
  notify,
}: ServerContext["mcpReq"]): ToolCallRequest["onprogress"] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress) => {
    const params = { ...progress, progressToken };
    notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

const INSTRUCTIONS =
  "Tools of installed servers are named <server>__<tool>. Find more servers with store_search and add them with store_install; store_status tells what is missing or broken.";

/** Clients that keep a list by version ask again when what is installed changes. */
function fingerprint(places: readonly CallerServer[]): string {
  const seen = places.map(({ instance, suspended_because }) => [
    instance.id,
    instance.version,
    suspended_because,
  ]);
  return Bun.SHA256.hash(JSON.stringify(seen), "hex").slice(0, 8);
}
