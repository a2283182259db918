/** Listens for requests: one server per address, for all its planes. The only file that uses Bun.serve. */

import type { Server } from "bun";
import type { Plane } from "../../contract/endpoint.ts";
import { AppError } from "../../contract/errors.ts";
import { CONNECTION_IDLE_S, listenAddress, listenSetting, type Settings } from "../../settings.ts";
import { describeReason } from "../doctor/check.ts";
import type { TlsPair } from "../tls-files.ts";
import { createHandlers, type HandlerOptions, type ListenState } from "./create-handlers.ts";
import type { App } from "./serve-request.ts";
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

/** A port that several workers listen on. */
export interface SharedPorts {
  /** True while no other worker listens. */
  alone: boolean;
  ports: Listener["ports"];
}

export interface ListenOptions extends Pick<HandlerOptions, "routes" | "others"> {
  /** Undefined for the only process that listens. */
  shared: SharedPorts | undefined;
  tls: TlsPair | undefined;
}

export function listen(app: App, options: ListenOptions): Listener {
  const { settings } = app.deps;
  const state: ListenState = { ready: true, refusing: false };
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
  state: ListenState;
}

function serve(app: App, served: Served): RunningServer {
  const { address, planes, shared, tls } = served;
  const [, hostname = "", given = ""] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  const port = shared?.ports[address] ?? Number(given);
  const isShared = shared !== undefined || tls !== undefined;
  const handlers = createHandlers(app, served);
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
      ...handlers,
    });
  try {
    if (isShared && shared?.alone !== false) checkPortIsFree(hostname, port);
    return { address, planes, server: open(tls, port), replaced: [], open };
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
