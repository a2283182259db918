/** Sends a request to an upstream at a checked address. The only way to make outbound calls. */
import { AppError } from "../contract/errors.ts";
import {
  type AddressCache,
  type Addresses,
  createAddressCache,
  type DialTarget,
} from "./address-cache.ts";
import {
  addAuthority,
  createProxyFinder,
  type Egress,
  type InstallationEgress,
  isAlwaysDirect,
  parseProxy,
} from "./egress.ts";
import type { Connection } from "./http/connection.ts";
import { createConnectionPool } from "./http/connection-pool.ts";
import { dial } from "./http/dial.ts";
import { dialThroughProxy, type ProxyEndpoint, proxyError } from "./http/dial-through-proxy.ts";
import { createExchangeWatch } from "./http/exchange-watch.ts";
import type { HeaderBlock, ReplyHeaders } from "./http/read-header-block.ts";
import type { Bytes, Reply } from "./http/reply.ts";
import { type OutgoingRequest, runExchange } from "./http/run-exchange.ts";
import { toRequestTarget, writeHeaderBlock } from "./http/write-header-block.ts";
import { createOriginParser, type Origin } from "./origin.ts";
import { toUpstreamError } from "./to-upstream-error.ts";

export interface OutboundRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** After `upstream_unreachable` a stream is unread and can be sent elsewhere. */
  body?: Bytes | ReadableStream<Bytes> | null;
  /** Length of a streamed body. Without it the body is sent chunked, which not every upstream accepts. */
  content_length?: number;
  allow_private: boolean;
  /** A credential call to a metadata service or an address from the environment: may be private. */
  is_local?: boolean;
  /** Replaces the egress settings of the installation. */
  egress?: Egress;
  /** Aborting ends the call up to 50 ms later, also while the response is streaming. */
  signal?: AbortSignal;
  /** The client's request: its disconnect ends the call. Its signal is created lazily, because most calls end before. */
  client?: Request;
  timeouts: OutgoingRequest["timeouts"];
}

export type Send = (request: OutboundRequest) => Promise<Reply>;

export interface SendOptions extends InstallationEgress {
  addresses?: AddressCache;
  /** Maximum time to connect, over all addresses. */
  maxConnectMs?: number;
  /** Called for each request that allows private addresses; false rejects them. */
  mayReachPrivate?: (url: string) => boolean;
  /** Aborting ends all calls with its reason, an AppError. */
  end?: AbortSignal;
}

export function createSend({
  addresses = createAddressCache(),
  maxConnectMs = 10_000,
  mayReachPrivate = () => true,
  end,
  ...installation
}: SendOptions = {}): Send {
  const findProxy = createProxyFinder(installation);
  const { ca } = installation;
  const parseOrigin = createOriginParser({ ca, findProxy, scope: "" });
  const registryParsers = new WeakMap<Egress, typeof parseOrigin>();
  const pool = createConnectionPool();
  const watch = createExchangeWatch(end);

  const exchange = (connection: Connection, outgoing: OutgoingRequest): Promise<Reply> => {
    watch.start();
    return runExchange(connection, outgoing);
  };
  // Not async: a promise that an async function returns takes three more turns of the microtask queue.
  return (request) => {
    try {
      const { url, signal } = request;
      if (signal?.aborted) throw toUpstreamError(signal.reason);
      const origin = findOrigin(request);
      const outgoing = toOutgoing(request, origin);
      const allow_private =
        request.is_local === true || (request.allow_private && mayReachPrivate(url));
      const target = { hostname: origin.hostname, allow_private };
      // Where the guard does not apply, the proxy resolves the name: only it may know the names of its network.
      const found = origin.proxy && allow_private ? origin.names : addresses.find(target);
      const ready = found instanceof Promise ? undefined : pool.take(origin.key, found);
      if (ready) return exchange(ready, outgoing);
      return reach(origin, target, found, signal ?? request.client?.signal).then((connection) =>
        exchange(connection, outgoing),
      );
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  };

  /** A registry's own proxy cannot reach the metadata services of this machine: it would return its own identity. */
  function findOrigin({ url, egress, is_local }: OutboundRequest): Origin {
    const origin = (egress ? parserFor(egress) : parseOrigin)(url);
    const [name = ""] = origin.names;
    return is_local && isAlwaysDirect(name) ? parseOrigin(url) : origin;
  }

  /** Connections of registries with the same settings are interchangeable, also after a configuration change. */
  function parserFor(egress: Egress): typeof parseOrigin {
    let parser = registryParsers.get(egress);
    if (!parser) {
      const own = egress.proxy_url === undefined ? undefined : parseProxy(egress.proxy_url, false);
      const scope = ` ${Bun.SHA256.hash(JSON.stringify(egress), "hex")}`;
      const find = own ? () => own : findProxy;
      const trusted = egress.ca === undefined ? ca : addAuthority(ca, egress.ca);
      parser = createOriginParser({ ca: trusted, findProxy: find, scope });
      registryParsers.set(egress, parser);
    }
    return parser;
  }

  async function reach(
    origin: Origin,
    target: DialTarget,
    found: Addresses | Promise<Addresses>,
    signal: AbortSignal | undefined,
  ): Promise<Connection> {
    const taken = async () => {
      const list = await found;
      return pool.take(origin.key, list) ?? (await connect(origin, target, list));
    };
    const coming = taken();
    try {
      return await raceAbort(coming, [signal, end]);
    } catch (thrown) {
      // A lookup and a dial cannot be canceled; their result serves another call.
      coming.then(
        (late) => pool.give(origin.key, late, NO_HEADERS),
        () => {},
      );
      throw thrown;
    }
  }

  async function connect(origin: Origin, target: DialTarget, list: Addresses): Promise<Connection> {
    const hooks = {
      onFree: (freed: Connection, { headers }: HeaderBlock) =>
        pool.give(origin.key, freed, headers),
      onClose: (closed: Connection) => {
        watch.remove(closed);
        pool.remove(origin.key, closed);
      },
    };
    const proxies = await findProxyEndpoints(origin, target);
    const timeoutMs = maxConnectMs / (list.length * proxies.length);
    const attempts = list.flatMap((address) => proxies.map((proxy) => ({ address, proxy })));
    let failure: unknown;
    for (const { address, proxy } of attempts) {
      try {
        const endpoint = { address, port: origin.port, tls: origin.tls };
        const connection = proxy
          ? await dialThroughProxy(endpoint, proxy, hooks, timeoutMs)
          : await dial(endpoint, hooks, timeoutMs);
        watch.add(connection);
        if (address !== list[0]) addresses.prefer(target, address);
        return connection;
      } catch (thrown) {
        failure = thrown;
      }
    }
    addresses.forget(target);
    throw failure;
  }

  /** Returns [undefined] without a proxy. The address of a registry's own proxy is guarded like that of the registry. */
  async function findProxyEndpoints(
    { proxy }: Origin,
    { allow_private }: DialTarget,
  ): Promise<(ProxyEndpoint | undefined)[]> {
    if (!proxy) return [undefined];
    const { hostname, port, authorization, is_trusted } = proxy;
    const target = { hostname, allow_private: is_trusted || allow_private };
    const found = await Promise.resolve(addresses.find(target)).catch((cause: unknown) => {
      throw toProxyError(cause);
    });
    return found.slice(0, MAX_PROXY_ADDRESSES).map((address) => ({ address, port, authorization }));
  }
}

function toProxyError(cause: unknown): AppError {
  const isRefused = cause instanceof AppError && cause.code === "upstream_address_refused";
  return isRefused
    ? new AppError(
        cause.code,
        "The address of the registry's proxy is private. Only registries with allow_private may use it.",
      )
    : proxyError("could not be found", cause);
}

const MAX_PROXY_ADDRESSES = 2;

const NO_HEADERS: ReplyHeaders = new Map();

function raceAbort<Value>(
  coming: Promise<Value>,
  signals: readonly (AbortSignal | undefined)[],
): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const check = () => {
    const ended = signals.find((signal) => signal?.aborted);
    if (ended) aborted.reject(toUpstreamError(ended.reason));
  };
  for (const signal of signals) signal?.addEventListener("abort", check);
  check();
  return Promise.race([coming, aborted.promise]).finally(() => {
    for (const signal of signals) signal?.removeEventListener("abort", check);
  });
}

function toOutgoing(request: OutboundRequest, origin: Origin): OutgoingRequest {
  const { method, signal, client, timeouts, content_length, body = null } = request;
  const path = toRequestTarget(request.url, origin.length);
  const headers: Record<string, string> = {
    host: origin.host,
    "user-agent": "portcullis",
    accept: "*/*",
    // The response is forwarded without decoding, and the client's Accept-Encoding is not sent upstream.
    "accept-encoding": "identity",
  };
  for (const name in request.headers) headers[name.toLowerCase()] = request.headers[name] ?? "";
  const length = body instanceof Uint8Array ? body.length : content_length;
  if (body && length === undefined) headers["transfer-encoding"] = "chunked";
  else if (body) headers["content-length"] = `${length}`;
  else if (method !== "GET" && method !== "HEAD") headers["content-length"] = "0";
  const header_block = writeHeaderBlock({ method, path }, headers);
  return { method, header_block, body, content_length, signal, client, timeouts };
}
