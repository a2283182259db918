/** Sockets to requests: the only file that knows Bun.serve. One server per address, its planes on it. */

import type { BunRequest, Server } from "bun";
import { RESERVED_SLUGS } from "../../contract/consumers.ts";
import type { Plane } from "../../contract/endpoint.ts";
import { AppError, type ErrorCode } from "../../contract/errors.ts";
import { matchTail } from "../../dataplane/match-endpoint.ts";
import { findPathStart } from "../../lib/http/url-parts.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { CONNECTION_IDLE_S, listenAddress, listenSetting, type Settings } from "../../settings.ts";
import { describeReason } from "../doctor/check.ts";
import { staticPages } from "../pages/static-pages.ts";
import { dialable } from "./dialable.ts";
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

export interface Listener {
  /** By plane, as a client would write it: `http://127.0.0.1:8080`. */
  urls: Partial<Record<Plane, string>>;
  /** From now on readiness says no. */
  drain: () => void;
  /** Stops listening and refuses requests on open connections. */
  refuse: () => void;
  /** Resolves when no request is running, or after `timeoutMs`. */
  finished: (timeoutMs: number) => Promise<void>;
  /** Closes all connections. */
  stop: () => Promise<void>;
}

export type DataPlaneHandler = (request: Request, client: string) => Promise<Response>;

/** What is served beside the described endpoints. */
export interface OtherPaths {
  handleDataPlane: DataPlaneHandler;
  mcp: Record<string, PathHandler>;
}

export function listen(app: App, routes: readonly AnyRoute[], others: OtherPaths): Listener {
  const { settings } = app.deps;
  const state = { ready: true, refusing: false };
  const servers = [...planesByAddress(settings)].map(([address, planes]) =>
    serve(app, { address, planes, routes, others, state }),
  );
  const urls: Listener["urls"] = {};
  for (const { planes, server } of servers) {
    for (const plane of planes) urls[plane] = dialable(server.url.origin);
  }
  return {
    urls,
    drain: () => {
      state.ready = false;
    },
    refuse: () => {
      state.ready = false;
      state.refusing = true;
      // Without waiting: this promise also counts idle connections that clients keep open.
      for (const { server } of servers) void server.stop();
    },
    finished: async (timeoutMs) => {
      const end = elapsedMs() + timeoutMs;
      const running = () => servers.some(({ server }) => server.pendingRequests > 0);
      while (running() && elapsedMs() < end) await Bun.sleep(10);
    },
    stop: async () => {
      await Promise.all(servers.map(({ server }) => server.stop(true)));
    },
  };
}

function planesByAddress(settings: Settings): Map<string, Plane[]> {
  const byAddress = new Map<string, Plane[]>();
  for (const plane of settings.PORTCULLIS_PLANES) {
    const address = listenAddress(settings, plane);
    byAddress.set(address, [...(byAddress.get(address) ?? []), plane]);
  }
  return byAddress;
}

interface Served {
  address: string;
  planes: Plane[];
  routes: readonly AnyRoute[];
  others: OtherPaths;
  state: { ready: boolean; refusing: boolean };
}

function serve(app: App, { address, planes, routes, others, state }: Served) {
  const [, hostname = "", port = ""] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  const plain = (body: object, status: number) =>
    Response.json(body, { status, headers: SECURITY_HEADERS });
  const paths = new Map<string, AnyRoute[]>();
  for (const route of routes.filter(({ endpoint }) => planes.includes(endpoint.plane))) {
    paths.set(route.endpoint.path, [...(paths.get(route.endpoint.path) ?? []), route]);
  }
  const waiting = new Set<Request>();
  /** An upstream may think for longer than a connection may idle. */
  const spared = (request: Request, answer: Promise<Response>): Promise<Response> => {
    waiting.add(request);
    const over = () => waiting.delete(request);
    answer.then(over, over);
    return answer;
  };
  const table: Record<string, Bun.Serve.Handler<BunRequest, Server<unknown>, Response>> = {
    ...Object.fromEntries(
      [...paths].map(([path, list]) => {
        const answer = createPathHandler(app, list);
        return [
          path,
          (asked: BunRequest, server: Server<unknown>) =>
            state.refusing
              ? refuse(app, asked)
              : answer(asked, () => server.requestIP(asked)?.address ?? ""),
        ];
      }),
    ),
    ...(planes.includes("admin") ? staticPages(routes) : {}),
    ...Object.fromEntries(
      Object.entries(planes.includes("mcp") ? others.mcp : {}).map(([path, answer]) => [
        path,
        (asked: BunRequest, server: Server<unknown>) =>
          state.refusing
            ? refuse(app, asked)
            : spared(asked, answer(asked, server.requestIP(asked)?.address ?? "")),
      ]),
    ),
    "/metrics": (asked) =>
      serveRequest(app, "admin", asked, async (_, headers) => serveMetrics(app, asked, headers)),
    "/healthz": () => plain({ status: "ok" }, 200),
    "/readyz": () => {
      if (!state.ready) return plain({ status: "shutting down" }, 503);
      const { revision } = app.deps.snapshot();
      const { problem, degraded } = app.readiness();
      if (problem) return plain({ status: "not ready", reason: problem }, 503);
      return plain({ status: "ready", revision, ...(degraded.length && { degraded }) }, 200);
    },
  };
  const servesGateway = planes.includes("gateway");
  try {
    const server = Bun.serve({
      hostname,
      port: Number(port),
      // Every plane has caps of its own, told in its own error shape.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: CONNECTION_IDLE_S,
      development: false,
      // Bun shares the port otherwise, and a second program would silently take half of the requests.
      reusePort: false,
      routes: table,
      fetch: (request, socket) => {
        if (state.refusing) return refuse(app, request);
        if (servesGateway && !isOurs(request)) {
          const client = socket.requestIP(request)?.address ?? "";
          return spared(request, others.handleDataPlane(request, client));
        }
        const { pathname } = parseRequestUrl(request);
        // A client whose address lacks the consumer: it reads the errors of the gateway.
        if (servesGateway && matchTail(pathname)) {
          const text = `The address lacks the consumer: send this to /{consumer}${pathname}.`;
          return serveRequest(app, "gateway", request, refusal("not_found", text));
        }
        const text = "There is nothing at this path. See /docs.";
        return serveRequest(app, "admin", request, refusal("not_found", text));
      },
    });
    // That wait has a limit of its own. Told for each request when it comes, it cost 3 µs: here only the slow ones pay.
    const sparing = setInterval(() => {
      for (const request of waiting) server.timeout(request, CONNECTION_IDLE_S);
    }, SPARE_EVERY_MS);
    sparing.unref();
    return { planes, server };
  } catch (thrown) {
    const taken = thrown instanceof Error && "code" in thrown && thrown.code === "EADDRINUSE";
    const reason = taken ? "another program uses this port" : describeReason(thrown);
    const names = new Set(planes.map((plane) => listenSetting(app.deps.settings, plane)));
    const text = `Cannot listen on ${address}: ${reason}. Set ${[...names].join(" or ")}.`;
    throw new AppError("bad_settings", text, { cause: thrown });
  }
}

/** A connection that was kept open may still bring a request when this node no longer listens. */
const refuse = (app: App, request: Request): Promise<Response> =>
  serveRequest(app, "admin", request, refusal("shutting_down"));

const refusal = (code: ErrorCode, text?: string) => async (): Promise<Response> => {
  throw new AppError(code, text);
};

const SPARE_EVERY_MS = 60_000;

/** `/v1/…` and its like are the program's own; any other first segment names a consumer. */
function isOurs({ url }: Request): boolean {
  const start = findPathStart(url) + 1;
  const end = url.indexOf("/", start);
  // A consumer's path has a second segment: what has none is ours, if only to say that it is not there.
  return end < 0 || RESERVED.has(url.slice(start, end));
}

const RESERVED: ReadonlySet<string> = new Set(["", ...RESERVED_SLUGS]);
