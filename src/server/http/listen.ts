/** Listens for requests: one server per address, for all its planes. The only file that uses Bun.serve. */

import type { BunRequest, Server } from "bun";
import type { Plane } from "../../contract/endpoint.ts";
import { AppError, type ErrorCode } from "../../contract/errors.ts";
import { RESERVED_SLUGS } from "../../contract/gateway/consumers.ts";
import { matchTail } from "../../dataplane/match-endpoint.ts";
import { findPathStart } from "../../lib/http/url-parts.ts";
import { CONNECTION_IDLE_S, listenAddress, listenSetting, type Settings } from "../../settings.ts";
import { describeReason } from "../doctor/check.ts";
import { staticPages } from "../pages/static-pages.ts";
import type { TlsPair } from "../tls-files.ts";
import type { PathHandler } from "./mcp-paths.ts";
import { parseRequestUrl } from "./parse-request-url.ts";
import { serveMetrics } from "./serve-metrics.ts";
import {
  type AnyRoute,
  type App,
  createPathHandler,
  SECURITY_HEADERS,
  serveRequest,
} from "./serve-request.ts";
import { toReachableOrigin } from "./to-reachable-origin.ts";

export interface Listener {
  /** Origin by plane, such as `http://127.0.0.1:8080`. */
  urls: Partial<Record<Plane, string>>;
  /** Bound port by listen address. */
  ports: Readonly<Record<string, number>>;
  /** Uses another certificate for new connections. Requests that are running finish; idle connections are closed. */
  replaceTls: (tls: TlsPair) => void;
  /** Makes readiness fail from now on. */
  drain: () => void;
  /** Stops listening and rejects requests on open connections. */
  refuse: () => void;
  /** True while a request is running. */
  isBusy: () => boolean;
  /** Closes all connections. */
  stop: () => Promise<void>;
}

export type DataPlaneHandler = (request: Request, client: () => string) => Promise<Response>;

/** Handlers of paths that are not in the route table. */
export interface OtherPaths {
  handleDataPlane: DataPlaneHandler;
  mcp: Record<string, PathHandler>;
}

/** A port that several workers listen on. */
export interface SharedPorts {
  /** True while no other worker listens. */
  alone: boolean;
  ports: Listener["ports"];
}

export interface ListenOptions {
  routes: readonly AnyRoute[];
  others: OtherPaths;
  /** Undefined for the only process that listens. */
  shared: SharedPorts | undefined;
  tls: TlsPair | undefined;
}

export function listen(app: App, options: ListenOptions): Listener {
  const { settings } = app.deps;
  const state = { ready: true, refusing: false };
  const servers = [...planesByAddress(settings)].map(([address, planes]) =>
    serve(app, { ...options, address, planes, state }),
  );
  const urls: Listener["urls"] = {};
  for (const { planes, server } of servers) {
    for (const plane of planes) urls[plane] = toReachableOrigin(server.url.origin);
  }
  const all = () => servers.flatMap(({ server, replaced }) => [server, ...replaced]);
  return {
    urls,
    ports: Object.fromEntries(servers.map(({ address, server }) => [address, server.port ?? 0])),
    replaceTls: (tls) => {
      if (!state.refusing) for (const served of servers) replaceServer(served, tls);
    },
    drain: () => {
      state.ready = false;
    },
    refuse: () => {
      state.ready = false;
      state.refusing = true;
      // Not awaited: this promise also waits for idle connections.
      for (const { server } of servers) void server.stop();
    },
    isBusy: () => all().some((server) => server.pendingRequests > 0),
    stop: async () => {
      await Promise.all(all().map((server) => server.stop(true)));
    },
  };
}

interface RunningServer {
  address: string;
  planes: Plane[];
  server: Server<unknown>;
  /** Servers with an older certificate, which finish their requests. */
  replaced: Server<unknown>[];
  open: (tls: TlsPair | undefined, port: number) => Server<unknown>;
}

/** Bun cannot change the certificate of a server: a second one shares its port, and then the first stops. */
function replaceServer(served: RunningServer, tls: TlsPair): void {
  const old = served.server;
  served.server = served.open(tls, old.port ?? 0);
  served.replaced = [old, ...served.replaced.filter(({ pendingRequests }) => pendingRequests > 0)];
  void old.stop();
}

function planesByAddress(settings: Settings): Map<string, Plane[]> {
  const byAddress = new Map<string, Plane[]>();
  for (const plane of settings.PORTCULLIS_PLANES) {
    const address = listenAddress(settings, plane);
    byAddress.set(address, [...(byAddress.get(address) ?? []), plane]);
  }
  return byAddress;
}

interface Served extends ListenOptions {
  address: string;
  planes: Plane[];
  state: { ready: boolean; refusing: boolean };
}

function serve(app: App, served: Served): RunningServer {
  const { address, planes, routes, others, state, shared, tls } = served;
  const [, hostname = "", given = ""] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  const port = shared?.ports[address] ?? Number(given);
  const respondJson = (body: object, status: number) =>
    Response.json(body, { status, headers: SECURITY_HEADERS });
  const paths = new Map<string, AnyRoute[]>();
  for (const route of routes.filter(({ endpoint }) => planes.includes(endpoint.plane))) {
    paths.set(route.endpoint.path, [...(paths.get(route.endpoint.path) ?? []), route]);
  }
  const waiting = new Map<Request, Server<unknown>>();
  /** Keeps the connection open while the response is pending: an upstream may take longer than the idle timeout. */
  const keepOpen = (
    request: Request,
    server: Server<unknown>,
    response: Promise<Response>,
  ): Promise<Response> => {
    waiting.set(request, server);
    const remove = () => waiting.delete(request);
    response.then(remove, remove);
    return response;
  };
  const table: Record<string, Bun.Serve.Handler<BunRequest, Server<unknown>, Response>> = {
    ...Object.fromEntries(
      [...paths].map(([path, list]) => {
        const handle = createPathHandler(app, list);
        return [
          path,
          (request: BunRequest, server: Server<unknown>) =>
            state.refusing
              ? refuse(app, request)
              : handle(request, () => server.requestIP(request)?.address ?? ""),
        ];
      }),
    ),
    ...(planes.includes("admin") ? staticPages(routes) : {}),
    ...Object.fromEntries(
      Object.entries(planes.includes("mcp") ? others.mcp : {}).map(([path, handle]) => [
        path,
        (request: BunRequest, server: Server<unknown>) =>
          state.refusing
            ? refuse(app, request)
            : keepOpen(request, server, handle(request, server.requestIP(request)?.address ?? "")),
      ]),
    ),
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
  const servesGateway = planes.includes("gateway");
  const isShared = shared !== undefined || tls !== undefined;
  const open: RunningServer["open"] = (pair, bound) =>
    Bun.serve({
      hostname,
      port: bound,
      ...(pair && { tls: pair }),
      // Each plane has its own caps and error format.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: CONNECTION_IDLE_S,
      development: false,
      // Otherwise a second process could bind the port and silently get half of the requests.
      reusePort: isShared,
      routes: table,
      fetch: (request, socket) => {
        if (state.refusing) return refuse(app, request);
        if (servesGateway && !isReserved(request)) {
          const client = createAddressReader(request, socket);
          return keepOpen(request, socket, others.handleDataPlane(request, client));
        }
        const { pathname } = parseRequestUrl(request);
        // The consumer is missing in the client's base URL: respond in the format of the data plane.
        if (servesGateway && matchTail(pathname)) {
          const text = `The path lacks the consumer. Send this to /{consumer}${pathname}.`;
          return serveRequest(app, "gateway", request, throwError("not_found", text));
        }
        const text = "Unknown path. See /docs.";
        return serveRequest(app, "admin", request, throwError("not_found", text));
      },
    });
  try {
    if (isShared && shared?.alone !== false) checkPortIsFree(hostname, port);
    const server = open(tls, port);
    // Pending responses have timeouts of their own. Extending the idle timeout for each request would cost 3 µs.
    const extending = setInterval(() => {
      for (const [request, socket] of waiting) socket.timeout(request, CONNECTION_IDLE_S);
    }, EXTEND_EVERY_MS);
    extending.unref();
    return { address, planes, server, replaced: [], open };
  } catch (thrown) {
    const taken = thrown instanceof Error && "code" in thrown && thrown.code === "EADDRINUSE";
    const reason = taken ? "another program uses this port" : describeReason(thrown);
    const names = new Set(planes.map((plane) => listenSetting(app.deps.settings, plane)));
    const text = `Cannot listen on ${address}: ${reason}. Set ${[...names].join(" or ")}.`;
    throw new AppError("bad_settings", text, { cause: thrown });
  }
}

/** Throws EADDRINUSE when any process listens on the port, including other workers. */
function checkPortIsFree(hostname: string, port: number): void {
  if (port === 0) return;
  const fetch = () => new Response();
  void Bun.serve({ hostname, port, reusePort: false, fetch }).stop(true);
}

/** Rejects a request on an open connection after this node stopped listening. */
const refuse = (app: App, request: Request): Promise<Response> =>
  serveRequest(app, "admin", request, throwError("shutting_down"));

const throwError = (code: ErrorCode, text?: string) => async (): Promise<Response> => {
  throw new AppError(code, text);
};

const EXTEND_EVERY_MS = 60_000;

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
