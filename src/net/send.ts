/** Sends a request to an upstream at a checked address. The only way to make outbound calls. */
import { isIP } from "node:net";
import { AppError } from "../contract/errors.ts";
import {
  type AddressCache,
  type Addresses,
  createAddressCache,
  type DialTarget,
} from "./address-cache.ts";
import { canonicalHost } from "./address-guard.ts";
import type { Connection } from "./http/connection.ts";
import { createConnectionPool } from "./http/connection-pool.ts";
import { dial } from "./http/dial.ts";
import { createExchangeWatch } from "./http/exchange-watch.ts";
import type { HeaderBlock, ReplyHeaders } from "./http/read-header-block.ts";
import type { Bytes, Reply } from "./http/reply.ts";
import { type OutgoingRequest, runExchange } from "./http/run-exchange.ts";
import { toRequestTarget, writeHeaderBlock } from "./http/write-header-block.ts";
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
  /** A credential call to a metadata service or an address from the environment: may be private, and uses no proxy. */
  is_local?: boolean;
  /** Replaces the egress settings of the installation. */
  egress?: Egress;
  /** Aborting ends the call up to 50 ms later, also while the response is streaming. */
  signal?: AbortSignal;
  /** The client's request: its disconnect ends the call. Its signal is created lazily, because most calls end before. */
  client?: Request;
  timeouts: OutgoingRequest["timeouts"];
}

/** Certificate authorities (PEM) and proxy of the requests to one registry. */
export interface Egress {
  ca?: string;
  proxy_url?: string;
}

export type Send = (request: OutboundRequest) => Promise<Reply>;

export interface SendOptions {
  addresses?: AddressCache;
  /** Maximum time to connect, over all addresses. */
  maxConnectMs?: number;
  /** Called for each request that allows private addresses; false rejects them. */
  mayReachPrivate?: (url: string) => boolean;
  /** Certificate authorities (PEM) to trust instead of the built-in ones. */
  ca?: string;
  /** Aborting ends all calls with its reason, an AppError. */
  end?: AbortSignal;
}

export function createSend({
  addresses = createAddressCache(),
  maxConnectMs = 10_000,
  mayReachPrivate = () => true,
  ca,
  end,
}: SendOptions = {}): Send {
  const originOf = createOriginParser(ca);
  const pool = createConnectionPool();
  const watch = createExchangeWatch(end);

  return async (request) => {
    const { url, signal } = request;
    if (signal?.aborted) throw toUpstreamError(signal.reason);
    const origin = originOf(url);
    const outgoing = toOutgoing(request, origin);
    const allow_private =
      request.is_local === true || (request.allow_private && mayReachPrivate(url));
    const target = { hostname: origin.hostname, allow_private };
    const found = addresses.find(target);
    const ready = found instanceof Promise ? undefined : pool.take(origin.key, found);
    const connection =
      ready ?? (await reach(origin, target, found, signal ?? request.client?.signal));
    watch.start();
    return runExchange(connection, outgoing);
  };

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
    let failure: unknown;
    for (const address of list) {
      try {
        const place = { address, port: origin.port, tls: origin.tls };
        const connection = await dial(place, hooks, maxConnectMs / list.length);
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
}

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

interface Origin {
  hostname: string;
  port: number;
  /** Value of the Host header. */
  host: string;
  tls: Bun.TLSOptions | undefined;
  /** Connections with the same key are interchangeable. */
  key: string;
  /** Length of the origin in the URL; the rest is path and query. */
  length: number;
}

const MAX_ORIGINS = 1000;
/** Matches an origin that every parser reads alike; other URLs are parsed completely. */
const ORIGIN = /^https?:\/\/[\w.:[\]-]+(?=\/)/;

/** Cache of parsed origins: parsing a URL costs more than the rest of a call. */
function createOriginParser(ca: string | undefined): (url: string) => Origin {
  const known = new Map<string, Origin>();
  return (url) => {
    const text = ORIGIN.exec(url)?.[0] ?? url;
    const seen = known.get(text);
    if (seen) return seen;
    const parsed = URL.parse(text);
    if (parsed?.protocol !== "https:" && parsed?.protocol !== "http:") {
      throw new AppError(
        "upstream_address_refused",
        "The upstream's address is not an http(s) URL.",
      );
    }
    const { protocol, hostname, host, port } = parsed;
    const name = canonicalHost(hostname) ?? hostname;
    const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
    const origin = {
      hostname,
      port: number,
      host,
      tls: protocol === "https:" ? tlsOptions(name, ca) : undefined,
      key: `${protocol} ${name} ${number}`,
      length: text.length,
    };
    if (known.size >= MAX_ORIGINS) known.clear();
    known.set(text, origin);
    return origin;
  };
}

/** ALPN protocols. A server that speaks only HTTP/2 rejects the handshake. */
const HTTP_1_1 = "\x08http/1.1";

/** Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable verification. */
function tlsOptions(name: string, ca: string | undefined): Bun.TLSOptions {
  return {
    rejectUnauthorized: true,
    ALPNProtocols: HTTP_1_1,
    ...(isIP(name) === 0 && { serverName: name }),
    ...(ca !== undefined && { ca }),
  };
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
