/** From a request to an answer: finds the endpoint, decodes, authorizes, runs, and turns errors into bodies. */
import { requireGateway } from "../../admin/resource-routes.ts";
import { decode } from "../../contract/decode.ts";
import { Empty, type Endpoint, type Plane } from "../../contract/endpoint.ts";
import { AppError } from "../../contract/errors.ts";
import { Id } from "../../contract/shapes.ts";
import { changeConfig, changeStore } from "../../db/config-revision.ts";
import type { Deps } from "../../deps.ts";
import { count, statusClass } from "../../lib/metrics.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import type { Call, DirectRoute, RequestIds, Route } from "../../route.ts";
import { readIdempotencyKey } from "../../run-once.ts";
import { authenticate } from "./authenticate.ts";
import { handleOnce } from "./handle-once.ts";
import { parseRequestUrl } from "./parse-request-url.ts";
import { publicOrigin } from "./public-origin.ts";
import { isForm, readForm } from "./read-form.ts";
import { readJson } from "./read-json.ts";
import { renderError } from "./render-error.ts";
import { readRequestIds } from "./request-ids.ts";
import type { ResponseCounts } from "./response-counts.ts";

/** On every answer of ours that is not an upstream's. */
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

/** What a browser asks before a page of another site may read an answer. No cookie goes along. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, OPTIONS",
  "access-control-allow-headers": "authorization, content-type",
  "cross-origin-resource-policy": "cross-origin",
} as const;

export interface App {
  deps: Deps;
  /** Brings a change that was just committed into force on this node. */
  refresh: () => Promise<void>;
  counts: ResponseCounts;
  /** What is measured, as it stands now. */
  metrics: () => string;
  readiness: () => Readiness;
}

/** What `/readyz` reports. */
export interface Readiness {
  /** Why the node should get no requests, as a sentence. */
  problem: string | undefined;
  /** Why the node serves less than it should, in sentences. */
  degraded: string[];
}

export type AnyRoute = Route | DirectRoute;
type Addressed = Request & { params: Record<string, string> };

/** All methods of one path: `routes` share it. */
export function createPathHandler(app: App, routes: readonly AnyRoute[]) {
  const byMethod = new Map<string, AnyRoute>(routes.map((route) => [route.endpoint.method, route]));
  const allow = [...byMethod.keys()].join(", ");
  const open = routes.every(({ endpoint }) => endpoint.cors);
  return (request: Addressed, client: () => string): Promise<Response> => {
    const route = byMethod.get(METHOD_FOR[request.method] ?? request.method);
    const plane = routes[0]?.endpoint.plane ?? "admin";
    // Not async, as nothing here waits: a promise of each step is passed on as it is.
    return serveRequest(app, plane, request, (ids, headers) => {
      if (open) Object.assign(headers, CORS_HEADERS);
      if (open && request.method === "OPTIONS") return new Response(null, { status: 204, headers });
      if (!route) {
        const text = `This path takes ${allow}.`;
        throw new AppError("method_not_allowed", text, { details: { allow } });
      }
      return "respond" in route
        ? serveDirectRoute(app, route, request, { ...ids, headers, client })
        : serveRoute(app, route, request, ids);
    });
  };
}

/** An update leaves out what it does not change under either name. */
const METHOD_FOR: Record<string, string> = { PATCH: "PUT", HEAD: "GET" };

/** The one place that catches: whatever was thrown leaves as an error body of the plane. */
export async function serveRequest(
  { deps, counts }: App,
  plane: Plane,
  request: Request,
  work: (ids: RequestIds, headers: Record<string, string>) => Promise<Response> | Response,
  render: typeof renderError = renderError,
): Promise<Response> {
  const began = elapsedMs();
  const ids = readRequestIds(request.headers, deps.newId, plane);
  /** Go out with the answer, whatever it is; what is added on the way stays for an error too. */
  const headers = ownHeaders(ids, plane);
  // The Anthropic SDK reads the id from another header, and identifies itself by this one.
  if (plane === "gateway" && request.headers.has("anthropic-version"))
    headers["request-id"] = ids.request_id;
  try {
    const answer = await work(ids, headers);
    count(counts.statuses[plane], statusClass(answer.status));
    // The data plane tells its requests as events, the guard its evaluations: a line each would cost more.
    const told = plane === "gateway" || plane === "guard";
    if (!told || deps.settings.LOG_LEVEL === "debug") {
      const level = told || request.method === "GET" ? "debug" : "info";
      deps.log("request", { ...lineOf(request, plane, ids, began), status: answer.status, level });
    }
    return answer;
  } catch (thrown) {
    const gone = request.signal.aborted && !(thrown instanceof AppError);
    const error = gone ? new AppError("client_closed") : AppError.from(thrown);
    count(counts.statuses[plane], statusClass(error.status));
    count(counts.errors, error.code);
    // The client asked for what its registries cannot do: nothing is broken here.
    const failed = error.status >= 500 && error.code !== "no_backend_available";
    deps.log("request", {
      ...lineOf(request, plane, ids, began),
      status: error.status,
      level: failed ? "error" : "info",
      code: error.code,
      ...(failed ? { error: error.cause ?? error } : {}),
    });
    return render(plane, error, ids, headers, request);
  }
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
  request: Addressed,
  more: RequestIds & { headers: Record<string, string>; client: () => string },
): Promise<Response> {
  const actor = authenticate(deps, endpoint, request, request.params);
  const params = checkParams(request.params);
  const { url } = request;
  const sent = url.includes("?") ? Object.fromEntries(parseRequestUrl(request).searchParams) : {};
  const query = decode(endpoint.query, sent, wrong(endpoint));
  return respond(deps, { endpoint, request, params, query, actor, ...more });
}

/** The guard has one status for whatever is wrong with a request (spec 7). */
const wrong = ({ plane }: Endpoint) =>
  plane === "guard" ? "invalid_request" : "validation_failed";

async function serveRoute(
  app: App,
  { endpoint, handle }: Route,
  request: Addressed,
  ids: RequestIds,
): Promise<Response> {
  const { deps } = app;
  const actor = authenticate(deps, endpoint, request, request.params);
  const params = checkParams(request.params);
  const url = parseRequestUrl(request);
  // Before a transaction begins, which SQLite would let it wait for: whoever asks sees, and erases, what was answered.
  await deps.flushEvaluations();
  const call: Call = {
    params,
    query: decode(endpoint.query, Object.fromEntries(url.searchParams), wrong(endpoint)),
    body: await decodeBody(deps, endpoint, request, params),
    actor,
    bearer: request.headers
      .get("authorization")
      ?.trim()
      .replace(/^Bearer\s+/i, ""),
    cookies: request.headers.get("cookie") ?? "",
    origin: publicOrigin(deps, request),
    if_match: request.headers.get("if-match") ?? undefined,
    reply_headers: endpoint.cors ? { ...CORS_HEADERS } : {},
    ...ids,
  };
  if (!endpoint.writes) return render(endpoint, await handle(deps, call), call);

  const key =
    endpoint.method === "POST"
      ? readIdempotencyKey(request.headers, "validation_failed")
      : undefined;
  const identity = { actor_id: actor.id, path: url.pathname, body: call.body };
  const inTurn = endpoint.configures ? changeConfig : changeStore;
  const reply = await inTurn(deps.db, (tx) => {
    const inside = { ...deps, db: tx };
    return handleOnce(inside, key, identity, () => handle(inside, call));
  });
  if (endpoint.configures) await refreshed(app);
  // Returned, not thrown: a refusal that leaves a record.
  if (reply instanceof AppError) throw reply;
  return render(endpoint, reply, call);
}

/** The change is committed: if this node cannot read it back now, the watcher will. */
async function refreshed({ deps, refresh }: App): Promise<void> {
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

async function decodeBody(
  deps: Deps,
  endpoint: Endpoint,
  request: Request,
  params: Record<string, string>,
): Promise<unknown> {
  if (endpoint.body === Empty) return undefined;
  // Where there is no gateway, nothing can be wrong with what is sent to it.
  if (params.gateway_id !== undefined) await requireGateway(deps, params);
  const code = wrong(endpoint);
  const most =
    endpoint.auth === "public" ? PUBLIC_BODY_BYTES : deps.settings.ADMIN_BODY_MIB * 1024 * 1024;
  const read = endpoint.form && isForm(request) ? readForm : readJson;
  return decode(endpoint.body, await read(deps, request, most, code), code);
}

/** What strangers may have us hold and parse: enough for any credential. */
const PUBLIC_BODY_BYTES = 64 * 1024;

function render(endpoint: Endpoint, reply: unknown, call: Call): Response {
  const headers = { ...ownHeaders(call, endpoint.plane), ...call.reply_headers };
  if (endpoint.reply === Empty) return new Response(null, { status: endpoint.status, headers });
  // Members the schema does not name are dropped here, so no stored hash can leave by accident.
  const shown = endpoint.reply.parse(reply) as { version?: unknown };
  if (typeof shown.version === "number") headers.etag = `"${shown.version}"`;
  return Response.json(shown, { status: endpoint.status, headers });
}

function ownHeaders(ids: RequestIds, plane: Plane): Record<string, string> {
  // What programs are answered is never a page: there the other headers would only be carried along.
  const security = plane === "gateway" || plane === "guard" ? DATA_HEADERS : SECURITY_HEADERS;
  return { ...security, "x-ag-trace-id": ids.trace_id, "x-request-id": ids.request_id };
}
