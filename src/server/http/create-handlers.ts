/** Creates the request handlers of one address: the route table, and the fallback with the paths of consumers. */
import type { BunRequest, Server } from "bun";
import type { Plane } from "../../contract/endpoint.ts";
import { AppError, type ErrorCode } from "../../contract/errors.ts";
import { RESERVED_SLUGS } from "../../contract/gateway/consumers.ts";
import { matchTail } from "../../dataplane/match-endpoint.ts";
import { parseRequestUrl } from "../../lib/http/parse-request-url.ts";
import { findPathStart } from "../../lib/http/url-parts.ts";
import { CONNECTION_IDLE_S } from "../../settings.ts";
import { staticPages } from "../pages/static-pages.ts";
import type { PathHandler } from "./mcp-paths.ts";
import { serveMetrics } from "./serve-metrics.ts";
import {
  type AnyRoute,
  type App,
  createPathHandler,
  SECURITY_HEADERS,
  serveRequest,
} from "./serve-request.ts";

export type DataPlaneHandler = (request: Request, client: () => string) => Promise<Response>;

/** Handlers of paths that are not in the route table. */
export interface OtherPaths {
  handleDataPlane: DataPlaneHandler;
  mcp: Record<string, PathHandler>;
}

export interface HandlerOptions {
  planes: readonly Plane[];
  routes: readonly AnyRoute[];
  others: OtherPaths;
  state: ListenState;
}

/** State of all addresses of a node. */
export interface ListenState {
  /** False: readiness fails. */
  ready: boolean;
  /** True: the node does not listen any more, and rejects requests on open connections. */
  refusing: boolean;
}

type Handler = Bun.Serve.Handler<BunRequest, Server<unknown>, Response>;

export interface RequestHandlers {
  /** By path, in the notation of Bun's router. */
  routes: Record<string, Handler>;
  /** Handles every other path. */
  fetch: (request: Request, server: Server<unknown>) => Promise<Response>;
}

export function createHandlers(app: App, options: HandlerOptions): RequestHandlers {
  const { planes, routes, others, state } = options;
  const keepOpen = createKeepOpen();
  const closeLater = createCloseLater(app);
  const table: RequestHandlers["routes"] = {};
  for (const [path, handle] of createPathHandlers(app, options)) {
    table[path] = (request, server) =>
      state.refusing
        ? refuse(app, request)
        : closeLater(
            request,
            server,
            handle(request, () => server.requestIP(request)?.address ?? ""),
          );
  }
  if (planes.includes("admin")) Object.assign(table, staticPages(routes));
  for (const [path, handle] of Object.entries(planes.includes("mcp") ? others.mcp : {})) {
    table[path] = (request, server) =>
      state.refusing
        ? refuse(app, request)
        : keepOpen(
            request,
            server,
            closeLater(request, server, handle(request, server.requestIP(request)?.address ?? "")),
          );
  }
  Object.assign(table, createProbes(app, state));
  const servesGateway = planes.includes("gateway");
  return {
    routes: table,
    fetch: (request, server) => {
      if (state.refusing) return refuse(app, request);
      if (servesGateway && !isReserved(request)) {
        const client = createAddressReader(request, server);
        const response = others.handleDataPlane(request, client);
        return keepOpen(request, server, closeLater(request, server, response));
      }
      return closeLater(request, server, rejectPath(app, request, servesGateway));
    },
  };
}

/** Returns the handler of each path that a route of these planes has. */
function createPathHandlers(
  app: App,
  { routes, planes }: HandlerOptions,
): Map<string, ReturnType<typeof createPathHandler>> {
  const served = routes.filter(({ endpoint }) => planes.includes(endpoint.plane));
  const byPath = Map.groupBy(served, ({ endpoint }) => endpoint.path);
  return new Map([...byPath].map(([path, list]) => [path, createPathHandler(app, list)]));
}

function createProbes(app: App, state: ListenState): RequestHandlers["routes"] {
  const respondJson = (body: object, status: number) =>
    Response.json(body, { status, headers: SECURITY_HEADERS });
  return {
    "/metrics": (request) =>
      serveRequest(app, "admin", request, (_, headers) => serveMetrics(app, request, headers)),
    "/healthz": () => respondJson({ status: "ok" }, 200),
    "/readyz": () => {
      if (!state.ready) return respondJson({ status: "shutting down" }, 503);
      const { revision } = app.deps.snapshot();
      const { problem, degraded } = app.readiness();
      if (problem) return respondJson({ status: "not ready", reason: problem }, 503);
      return respondJson({ status: "ready", revision, ...(degraded.length && { degraded }) }, 200);
    },
  };
}

function rejectPath(app: App, request: Request, servesGateway: boolean): Promise<Response> {
  const { pathname } = parseRequestUrl(request);
  // The consumer is missing in the client's base URL: respond in the format of the data plane.
  if (servesGateway && matchTail(pathname)) {
    const text = `The path lacks the consumer. Send this to /{consumer}${pathname}.`;
    return serveRequest(app, "gateway", request, throwError("not_found", text));
  }
  const text = "Unknown path. See /docs.";
  return serveRequest(app, "admin", request, throwError("not_found", text));
}

/** Rejects a request on an open connection after this node stopped listening. */
const refuse = (app: App, request: Request): Promise<Response> =>
  serveRequest(app, "admin", request, throwError("shutting_down"));

const throwError = (code: ErrorCode, text?: string) => async (): Promise<Response> => {
  throw new AppError(code, text);
};

type WatchResponse = (
  request: Request,
  server: Server<unknown>,
  response: Promise<Response>,
) => Promise<Response>;

const EXTEND_EVERY_MS = 60_000;

/** Returns a function that keeps a connection open while its response is pending: upstreams may take longer than the idle timeout. */
function createKeepOpen(): WatchResponse {
  const waiting = new Map<Request, Server<unknown>>();
  // Pending responses have timeouts of their own. Extending the idle timeout for each request would cost 3 µs.
  const extending = setInterval(() => {
    for (const [request, server] of waiting) server.timeout(request, CONNECTION_IDLE_S);
  }, EXTEND_EVERY_MS);
  extending.unref();
  return (request, server, response) => {
    waiting.set(request, server);
    const remove = () => waiting.delete(request);
    response.then(remove, remove);
    return response;
  };
}

/**
 * Returns a function that closes a connection some time after an error, unless another request follows: the rest of the
 * body may never arrive. Not at once, because a client that is still sending would not read the response.
 */
function createCloseLater({ deps: { settings }, earlyErrors }: App): WatchResponse {
  const after_s = Math.min(Math.ceil(settings.UPLOAD_IDLE_TIMEOUT_S), CONNECTION_IDLE_S);
  return (request, server, response) => {
    const close = (sent: Response) => {
      if (earlyErrors.has(sent)) server.timeout(request, after_s);
    };
    response.then(close, () => {});
    return response;
  };
}

/** Returns a function that reads the address of the client once. Most requests do not need the system call. */
function createAddressReader(request: Request, server: Server<unknown>): () => string {
  let address: string | undefined;
  return () => {
    address ??= server.requestIP(request)?.address ?? "";
    return address;
  };
}

/** Returns true for `/v1/…` and other reserved first segments; any other is a consumer. */
function isReserved({ url }: Request): boolean {
  const start = findPathStart(url) + 1;
  const end = url.indexOf("/", start);
  // A consumer's path has a second segment; a path with one segment is reserved.
  return end < 0 || RESERVED.has(url.slice(start, end));
}

const RESERVED: ReadonlySet<string> = new Set(["", ...RESERVED_SLUGS]);
