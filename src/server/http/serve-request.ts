/** Serves a request: finds the endpoint, authorizes, decodes, runs the operation, and renders errors. */
import { decode } from "../../contract/decode.ts";
import { Empty, type Endpoint, type Plane } from "../../contract/endpoint.ts";
import { AppError } from "../../contract/errors.ts";
import { Id } from "../../contract/shapes.ts";
import { changeConfig, changeSessions, changeStore } from "../../db/config-revision.ts";
import type { Deps } from "../../deps.ts";
import { parseRequestUrl } from "../../lib/http/parse-request-url.ts";
import { count, statusClass } from "../../lib/metrics.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import type { ByteReservation } from "../../reserve-bytes.ts";
import type { Actor, Call, DirectRoute, RequestIds, Route } from "../../route.ts";
import { readIdempotencyKey } from "../../run-once.ts";
import { authenticate } from "./authenticate.ts";
import { decodeBody, validationCode } from "./decode-body.ts";
import { handleOnce } from "./handle-once.ts";
import { publicOrigin } from "./public-origin.ts";
import { reserveAdminBytes } from "./read-counted-body.ts";
import { renderError } from "./render-error.ts";
import { readRequestIds } from "./request-ids.ts";
import type { ResponseCounts } from "./response-counts.ts";

/** On every response that is not an upstream's. */
export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
} as const;

const DATA_HEADERS = {
  "x-content-type-options": SECURITY_HEADERS["x-content-type-options"],
  "cache-control": SECURITY_HEADERS["cache-control"],
} as const;

/** Lets pages of other sites read the response, without cookies. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, OPTIONS",
  "access-control-allow-headers": "authorization, content-type",
  "cross-origin-resource-policy": "cross-origin",
} as const;

export interface App {
  deps: Deps;
  /** Loads a change that was just committed on this node. */
  refresh: () => Promise<void>;
  counts: ResponseCounts;
  /** Errors of requests with a body, which may not have arrived. */
  earlyErrors: WeakSet<Response>;
  /** Renders the current metrics of all workers. */
  metrics: () => string | Promise<string>;
  readiness: () => Readiness;
}

/** Content of `/readyz`. */
export interface Readiness {
  /** Reason why the node should get no requests, as a sentence. */
  problem: string | undefined;
  /** Reasons why the node is degraded, in sentences. */
  degraded: string[];
}

export type AnyRoute = Route | DirectRoute;
type RoutedRequest = Request & { params: Record<string, string> };

/** Returns the handler of one path, for the methods of all its routes. */
export function createPathHandler(app: App, routes: readonly AnyRoute[]) {
  const byMethod = new Map<string, AnyRoute>(routes.map((route) => [route.endpoint.method, route]));
  const allow = [...byMethod.keys()].join(", ");
  const open = routes.every(({ endpoint }) => endpoint.cors);
  return (request: RoutedRequest, client: () => string): Promise<Response> => {
    const route = byMethod.get(METHOD_FOR[request.method] ?? request.method);
    const plane = routes[0]?.endpoint.plane ?? "admin";
    // Not async: promises are returned unchanged, which saves a turn of the event loop.
    return serveRequest(app, plane, request, (ids, headers) => {
      if (open) Object.assign(headers, CORS_HEADERS);
      if (open && request.method === "OPTIONS") return new Response(null, { status: 204, headers });
      if (!route) {
        const text = `This path supports ${allow}.`;
        throw new AppError("method_not_allowed", text, { details: { allow } });
      }
      return "respond" in route
        ? serveDirectRoute(app, route, request, { ...ids, headers, client })
        : serveRoute(app, route, request, ids);
    });
  };
}

/** PUT and PATCH both update only the members that are sent. */
const METHOD_FOR: Record<string, string> = { PATCH: "PUT", HEAD: "GET" };

/** Runs `work`, and renders a thrown error in the format of the plane. Counts and logs the request. */
export async function serveRequest(
  { deps, counts, earlyErrors }: App,
  plane: Plane,
  request: Request,
  work: (ids: RequestIds, headers: Record<string, string>) => Promise<Response> | Response,
  render: typeof renderError = renderError,
): Promise<Response> {
  const began = elapsedMs();
  const ids = readRequestIds(request.headers, deps.newId, plane);
  /** Headers of the response. Those that `work` adds are sent with an error too. */
  const headers = createHeaders(ids, plane);
  // The Anthropic SDK reads the id from another header, and identifies itself by this one.
  if (plane === "gateway" && request.headers.has("anthropic-version"))
    headers["request-id"] = ids.request_id;
  try {
    checkHost(request);
    const response = await work(ids, headers);
    count(counts.statuses[plane], statusClass(response.status));
    // Recorded as events instead: a log line for each would cost more.
    const isRecorded = plane === "gateway" || plane === "guard";
    if (!isRecorded || deps.settings.LOG_LEVEL === "debug") {
      const level = isRecorded || request.method === "GET" ? "debug" : "info";
      deps.log("request", {
        ...lineOf(request, plane, ids, began),
        status: response.status,
        level,
      });
    }
    return response;
  } catch (thrown) {
    const hasLeft = request.signal.aborted && !(thrown instanceof AppError);
    const error = hasLeft ? new AppError("client_closed") : AppError.from(thrown);
    count(counts.statuses[plane], statusClass(error.status));
    count(counts.errors, error.code);
    // no_backend_available is caused by the request or the configuration, not by a fault of this program.
    const failed = error.status >= 500 && error.code !== "no_backend_available";
    deps.log("request", {
      ...lineOf(request, plane, ids, began),
      status: error.status,
      level: failed ? "error" : "info",
      code: error.code,
      ...(failed ? { error: error.cause ?? error } : {}),
    });
    const response = render(plane, error, ids, headers, request);
    if (hasBody(request)) earlyErrors.add(response);
    return response;
  }
}

const hasBody = ({ headers }: Request): boolean =>
  headers.has("content-length") || headers.has("transfer-encoding");

/** Bun joins repeated headers with a comma, which no host contains. Two are a 400 (RFC 9112 3.2). */
function checkHost({ headers }: Request): void {
  if (!headers.get("host")?.includes(",")) return;
  throw new AppError("invalid_request", "The request has several Host headers. Send one.");
}

const lineOf = (request: Request, plane: Plane, ids: RequestIds, began: number) => ({
  ...ids,
  plane,
  method: request.method,
  path: parseRequestUrl(request).pathname,
  ms: Math.round((elapsedMs() - began) * 10) / 10,
});

function serveDirectRoute(
  { deps }: App,
  { endpoint, respond }: DirectRoute,
  request: RoutedRequest,
  more: RequestIds & { headers: Record<string, string>; client: () => string },
): Promise<Response> {
  const actor = authenticate(deps, endpoint, request, request.params);
  const params = checkParams(request.params);
  const { url } = request;
  const sent = url.includes("?") ? Object.fromEntries(parseRequestUrl(request).searchParams) : {};
  const query = decode(endpoint.query, sent, validationCode(endpoint));
  return respond(deps, { endpoint, request, params, query, actor, ...more });
}

async function serveRoute(
  app: App,
  route: Route,
  request: RoutedRequest,
  ids: RequestIds,
): Promise<Response> {
  const { deps } = app;
  const actor = authenticate(deps, route.endpoint, request, request.params);
  const memory = reserveAdminBytes(deps, actor.id);
  try {
    return await runRoute(app, route, request, { ids, actor, memory });
  } finally {
    memory.release();
  }
}

async function runRoute(
  app: App,
  { endpoint, handle }: Route,
  request: RoutedRequest,
  { ids, actor, memory }: { ids: RequestIds; actor: Actor; memory: ByteReservation },
): Promise<Response> {
  const { deps } = app;
  const params = checkParams(request.params);
  const url = parseRequestUrl(request);
  // Before the transaction, which would block it on SQLite.
  if (endpoint.reads_evaluations) await deps.flushEvaluations();
  const call: Call = {
    params,
    query: decode(endpoint.query, Object.fromEntries(url.searchParams), validationCode(endpoint)),
    body: await decodeBody(deps, endpoint, request, { params, actor, memory }),
    actor,
    bearer: request.headers
      .get("authorization")
      ?.trim()
      .replace(/^Bearer\s+/i, ""),
    cookies: request.headers.get("cookie") ?? "",
    origin: publicOrigin(deps, request),
    if_match: request.headers.get("if-match") ?? undefined,
    reply_headers: endpoint.cors ? { ...CORS_HEADERS } : {},
    client: request,
    ...ids,
  };
  if (!endpoint.writes) {
    const reply = await handle(deps, call);
    if (endpoint.configures === "sessions") await refreshAfterChange(app);
    return render(endpoint, reply, call);
  }

  const key =
    endpoint.method === "POST"
      ? readIdempotencyKey(request.headers, "validation_failed")
      : undefined;
  const identity = { actor_id: actor.id, path: url.pathname, body: call.body };
  const reply = await selectTransaction(endpoint)(deps.db, (tx) => {
    const inside = { ...deps, db: tx };
    return handleOnce(inside, key, identity, () => handle(inside, call));
  });
  if (endpoint.configures) await refreshAfterChange(app);
  // Returned by the operation, not thrown: a refusal with an audit record.
  if (reply instanceof AppError) throw reply;
  return render(endpoint, reply, call);
}

function selectTransaction({ configures }: Endpoint): typeof changeConfig {
  if (configures === "sessions") return changeSessions;
  return configures ? changeConfig : changeStore;
}

/** The change is committed: if this node cannot load it now, the watcher will. */
async function refreshAfterChange({ deps, refresh }: App): Promise<void> {
  try {
    await refresh();
  } catch (thrown) {
    deps.log("refresh_failed", { level: "error", error: thrown });
  }
}

function checkParams(params: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(params)) {
    if (name.endsWith("_id") && !Id.safeParse(value).success) {
      throw new AppError("validation_failed", `${name}: is not a valid id`);
    }
  }
  return params;
}

function render(endpoint: Endpoint, reply: unknown, call: Call): Response {
  const headers = { ...createHeaders(call, endpoint.plane), ...call.reply_headers };
  if (endpoint.reply === Empty) return new Response(null, { status: endpoint.status, headers });
  // Drops members that the schema does not define, so that no stored hash is sent by accident.
  const body = endpoint.reply.parse(reply) as { version?: unknown };
  if (typeof body.version === "number") headers.etag = `"${body.version}"`;
  return Response.json(body, { status: endpoint.status, headers });
}

function createHeaders(ids: RequestIds, plane: Plane): Record<string, string> {
  // Responses to programs are never pages: the other headers would be useless.
  const security = plane === "gateway" || plane === "guard" ? DATA_HEADERS : SECURITY_HEADERS;
  return { ...security, "x-ag-trace-id": ids.trace_id, "x-request-id": ids.request_id };
}
