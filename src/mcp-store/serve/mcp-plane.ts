/** The MCP endpoint: serves all revisions of the protocol, and shows each caller what it may use. */
import {
  createMcpHandler,
  isInitializeRequest,
  type McpRequestContext,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { AppError } from "../../contract/errors.ts";
import { changeState } from "../../db/config-revision.ts";
import type { Deps } from "../../deps.ts";
import { continueTrace } from "../../lib/http/trace-context.ts";
import { measureValue } from "../../lib/json/measure-json.ts";
import type { ByteReservation } from "../../reserve-bytes.ts";
import type { RequestIds } from "../../route.ts";
import { createMemoryReservations } from "../memory-reservations.ts";
import { createPrincipalReader } from "../principals/identify-principal.ts";
import { openUpstreams } from "../upstream/upstreams.ts";
import { callTool, type ToolCallRequest } from "./call-tool.ts";
import { createCallerServers } from "./caller-servers.ts";
import { createListenerCount } from "./count-listeners.ts";
import { policySubject } from "./guard-call.ts";
import { createToolGuard } from "./guard-tools.ts";
import { holdUntilSent } from "./hold-until-sent.ts";
import { identifyMcpCaller, type McpCaller } from "./identify-mcp-caller.ts";
import { listTools } from "./list-tools.ts";
import { acceptsAnyType, readPlainRequest } from "./plain-request.ts";
import { readMessage, takeTurnForMessage } from "./read-message.ts";
import { runRequestPlugins } from "./run-request-plugins.ts";
import { createRunningRequests, readMember } from "./running-requests.ts";
import { servePlainRequest } from "./serve-plain-request.ts";
import { isPrincipal, type McpSession, serverInfoOf } from "./session.ts";
import { createToolNamer } from "./tool-names.ts";
import { watchChanges } from "./watch-changes.ts";

export interface McpRequest extends RequestIds {
  /** Consumer in the path; undefined at the path of principals. */
  slug: string | undefined;
  origin: string;
  /** Address of the client, as reported by trusted proxies. */
  client: string;
  /** Headers of the response, also of an error response. */
  headers: Record<string, string>;
}

export interface McpPlane {
  respond: (request: Request, context: McpRequest) => Promise<Response>;
  /** Ends the streams of clients that listen for changes, which have no end of their own. */
  drain: () => void;
  stop: () => Promise<void>;
}

export function openMcpPlane(deps: Deps): McpPlane {
  const reserveMemory = createMemoryReservations(deps.settings);
  const upstreams = openUpstreams(deps, reserveMemory);
  const toolGuard = createToolGuard();
  const nameTools = createToolNamer();
  const readPrincipal = createPrincipalReader(deps);
  const readCallerServers = createCallerServers(deps);
  const running = createRunningRequests();
  const countListener = createListenerCount();
  const draining = new AbortController();
  const endpoint = createMcpHandler(
    // Set by `serve` below; the SDK passes it through unchanged.
    ({ authInfo, era }) => createMcpServer(authInfo?.extra?.session as McpSession, era),
    {
      onerror: (error) => deps.log("mcp_refused", { level: "debug", error }),
    },
  );

  const watcher = watchChanges(deps, () => endpoint.notify.toolsChanged());

  async function serve(
    request: Request,
    { origin, client, headers, request_id, trace_id }: McpRequest,
    {
      state,
      caller,
      holder,
      memory,
      cleanup,
    }: {
      state: string;
      caller: McpCaller;
      /** Caller whose memory and turns are counted. */
      holder: string;
      memory: ByteReservation;
      cleanup: DisposableStack;
    },
  ): Promise<Response> {
    const message = await readMessage(deps, request, { memory, holder });
    const sender = { caller, session_id: request.headers.get("mcp-session-id") };
    // Before the rate limits, because a cancellation only saves work.
    running.cancel(sender, message);
    const cost = Array.isArray(message) ? message.length : 1;
    await runRequestPlugins(deps, request, caller, { client, cost, reply_headers: headers });
    const session: McpSession = {
      deps,
      upstreams,
      toolGuard,
      nameTools,
      caller,
      ...(await readCallerServers(state, caller)),
      origin,
      author: { actor: { id: null, name: callerName(caller) }, request_id, trace_id },
      memory,
      cleanup,
      trace_headers: continueTrace(request.headers, request_id),
      client_info: { client_address: client, user_agent: request.headers.get("user-agent") },
    };
    const { signal, end } = running.begin(sender, message, request.signal);
    cleanup.defer(end);
    const isListening = isListenRequest(message);
    if (isListening) cleanup.defer(countListener(holder));
    const plain = readPlainRequest(request.headers, message);
    if (plain) return await servePlainRequest(session, plain, signal);
    const authInfo = { token: "", clientId: "", scopes: [], extra: { session } };
    const sdkRequest = new Request(request.url, {
      method: request.method,
      headers: withBothMediaTypes(request.headers),
      signal: isListening ? AbortSignal.any([signal, draining.signal]) : signal,
    });
    const response = await endpoint.fetch(sdkRequest, { authInfo, parsedBody: message });
    // The stream has no end of its own, and holds nothing of the request except its short id.
    if (isListening) memory.release();
    // Identifies the client's later requests, for cancellation. No state is stored for it.
    if (isInitializeRequest(message)) response.headers.set("mcp-session-id", deps.newId());
    return response;
  }

  return {
    async respond(request, context) {
      if (request.method !== "POST") {
        const details = { allow: "POST" };
        throw new AppError("method_not_allowed", "The MCP endpoint accepts only POST.", {
          details,
        });
      }
      // Before everything that depends on it, so that a change in the meantime counts for the next request.
      const state = await changeState(deps.db);
      const { slug, origin } = context;
      const query = { slug, origin, state, readPrincipal };
      const caller = await identifyMcpCaller(deps, request, query);
      const holder = holderOf(caller);
      const memory = reserveMemory(holder);
      const cleanup = new DisposableStack();
      cleanup.defer(memory.release);
      try {
        const response = await serve(request, context, { state, caller, holder, memory, cleanup });
        return cleanup.disposed ? response : holdUntilSent(response, () => cleanup.dispose());
      } catch (thrown) {
        cleanup.dispose();
        throw thrown;
      }
    },
    drain: () => draining.abort(),
    async stop() {
      watcher.stop();
      await endpoint.close();
      upstreams.stop();
    },
  };
}

/** Reads the body instead of the `Mcp-Method` header, which the SDK ignores for clients of the 2025 era. */
const isListenRequest = (message: unknown): boolean =>
  readMember(message, "method") === "subscriptions/listen";

/** Adds both media types, because the SDK does not accept wildcards or a missing header. */
function withBothMediaTypes(original: Headers): Headers {
  const headers = new Headers(original);
  if (acceptsAnyType(original.get("accept"))) {
    headers.set("accept", "application/json, text/event-stream");
  }
  return headers;
}

/** Returns the key by which memory and turns of a caller are counted. */
const holderOf = (caller: McpCaller): string =>
  `${caller.kind} ${caller.gateway_id} ${policySubject(caller)}`;

const callerName = (caller: McpCaller): string =>
  caller.kind === "principal" ? caller.principal_sub : caller.name;

function createMcpServer(session: McpSession, era: McpRequestContext["era"]): Server {
  const server = new Server(serverInfoOf(session), {
    // Clients of the older era have no stream on which to notify them.
    capabilities: { tools: { listChanged: era === "modern" } },
    ...(isPrincipal(session) ? { instructions: INSTRUCTIONS } : {}),
  });
  // The SDK starts all messages of a batch at once.
  const waitForTurn = () => takeTurnForMessage(session.deps, holderOf(session.caller));
  server.setRequestHandler("tools/list", async () => {
    await waitForTurn();
    return { tools: await listTools(session) };
  });
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    await waitForTurn();
    const capabilities = server.getClientCapabilities();
    const call: ToolCallRequest = {
      era,
      name: params.name,
      args: params.arguments,
      signal: mcpReq.signal,
      onprogress: createProgressCallback(session, mcpReq),
      opens_links:
        mcpReq.envelope !== undefined &&
        capabilities?.elicitation?.url !== undefined &&
        mcpReq.inputResponses === undefined,
    };
    return await callTool(session, call);
  });
  return server;
}

/** Limit for the progress of one call; the rest is dropped. */
const MAX_PROGRESS_BYTES = 4 * 1024 * 1024;

/** Returns undefined when the client did not request progress. Errors after a disconnect are ignored. */
function createProgressCallback(
  { memory }: McpSession,
  { _meta, notify }: ServerContext["mcpReq"],
): ToolCallRequest["onprogress"] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let left = MAX_PROGRESS_BYTES;
  return (progress) => {
    const params = { ...progress, progressToken };
    const bytes = measureValue(params);
    left -= bytes;
    if (left < 0) return;
    try {
      // Counts until the response has been sent: the client may not read it.
      memory.add(bytes);
    } catch {
      return;
    }
    notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

const INSTRUCTIONS =
  "Tools of installed servers are named <server>__<tool>. Find more servers with store_search and add them with store_install; store_status reports what is missing or broken.";
