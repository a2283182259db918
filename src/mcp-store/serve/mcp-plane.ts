/** The MCP endpoint: one for all eras of the protocol, with the view of whoever asks. */
import {
  createMcpHandler,
  type McpRequestContext,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { openUpstreams } from "../upstream/upstreams.ts";
import { admit } from "./admit.ts";
import { type AskedCall, callTool } from "./call-tool.ts";
import { type Caller, callerOf } from "./caller.ts";
import { createToolGuard } from "./guard-tools.ts";
import { listTools } from "./list-tools.ts";
import { isPrincipal, type Session } from "./session.ts";
import { type Place, surfaceOf } from "./surface.ts";
import { refused, refusedBy } from "./tool-result.ts";
import { watchChanges } from "./watch-changes.ts";

export interface McpRequest {
  /** The consumer in the path; undefined at the path of principals. */
  slug: string | undefined;
  origin: string;
  /** The address of the caller, as far as proxies can be believed. */
  client: string;
  /** Go out with the answer, an error's too. */
  headers: Record<string, string>;
  request_id: string;
  trace_id: string;
}

export interface McpPlane {
  answer: (request: Request, asked: McpRequest) => Promise<Response>;
  /** Ends what would never end by itself: streams of clients that listen for changes. */
  drain: () => void;
  stop: () => Promise<void>;
}

export function openMcpPlane(deps: Deps): McpPlane {
  const upstreams = openUpstreams(deps);
  const toolGuard = createToolGuard();
  const draining = new AbortController();
  const endpoint = createMcpHandler(
    // What `answer` below put there, handed through by the SDK as it is.
    ({ authInfo, era }) => serverFor(authInfo?.extra?.session as Session, era),
    {
      maxRequestBodySize: deps.settings.JSON_BODY_MIB * 1024 * 1024,
      onerror: (error) => deps.log("mcp_refused", { level: "debug", error }),
    },
  );

  const watching = watchChanges(deps, () => endpoint.notify.toolsChanged());

  const ending = (request: Request): Request =>
    new Request(request, { signal: AbortSignal.any([request.signal, draining.signal]) });

  return {
    async answer(request, { slug, origin, client, headers, request_id, trace_id }) {
      if (request.method !== "POST") {
        const details = { allow: "POST" };
        throw new AppError("method_not_allowed", "The MCP endpoint takes POST.", { details });
      }
      const caller = await callerOf(deps, request, { slug, origin });
      await admit(deps, request, caller, { client, reply_headers: headers });
      const author = { actor: { id: null, name: nameOf(caller) }, request_id, trace_id };
      const places = await surfaceOf(deps, caller);
      const session: Session = {
        deps,
        upstreams,
        toolGuard,
        caller,
        places,
        origin,
        author,
        asked_from: { client_address: client, user_agent: request.headers.get("user-agent") },
      };
      const authInfo = { token: "", clientId: "", scopes: [], extra: { session } };
      return await endpoint.fetch(listens(request) ? ending(request) : request, { authInfo });
    },
    drain: () => draining.abort(),
    async stop() {
      watching.stop();
      await endpoint.close();
      upstreams.stop();
    },
  };
}

/** The header must agree with the body: the SDK sees to that. */
const listens = ({ headers }: Request): boolean =>
  headers.get("mcp-method") === "subscriptions/listen";

const nameOf = (caller: Caller): string =>
  caller.kind === "principal" ? caller.principal_sub : caller.name;

function serverFor(session: Session, era: McpRequestContext["era"]): Server {
  const server = new Server(
    { name: "portcullis", version: `1-${fingerprint(session.places)}` },
    {
      // Clients of the older era have no stream here on which they could be told.
      capabilities: { tools: { listChanged: era === "modern" } },
      ...(isPrincipal(session) ? { instructions: INSTRUCTIONS } : {}),
    },
  );
  server.setRequestHandler("tools/list", async () => ({ tools: await listTools(session) }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const capabilities = server.getClientCapabilities();
    const asked: AskedCall = {
      name: params.name,
      args: params.arguments,
      signal: mcpReq.signal,
      onprogress: progressTo(mcpReq),
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
        return refused(`${error.message} (${trace_id})`);
      }
      return refusedBy(error);
    }
  });
  return server;
}

/** Undefined: the client did not ask. One that has left by then is told nothing. */
function progressTo({ _meta, notify }: ServerContext["mcpReq"]): AskedCall["onprogress"] {
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
function fingerprint(places: readonly Place[]): string {
  const seen = places.map(({ instance, suspended_because }) => [
    instance.id,
    instance.version,
    suspended_because,
  ]);
  return Bun.SHA256.hash(JSON.stringify(seen), "hex").slice(0, 8);
}
