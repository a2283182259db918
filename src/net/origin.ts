/** Parses and caches the origins of URLs: where to connect, by which TLS and through which proxy. */
import { isIP } from "node:net";
import { AppError } from "../contract/errors.ts";
import { canonicalHost } from "./address-guard.ts";
import type { EgressProxy, InstallationEgress } from "./egress.ts";

export interface Origin {
  hostname: string;
  port: number;
  /** Value of the Host header. */
  host: string;
  tls: Bun.TLSOptions | undefined;
  proxy: EgressProxy | undefined;
  /** The host as it is sent to the proxy when the address guard does not apply. */
  names: readonly string[];
  /** Connections with the same key are interchangeable. */
  key: string;
  /** Length of the origin in the URL; the rest is path and query. */
  length: number;
}

export interface OriginRules {
  ca: InstallationEgress["ca"];
  findProxy: (hostname: string) => EgressProxy | undefined;
  /** Separates the connections of different rules. */
  scope: string;
}

const MAX_ORIGINS = 1000;
/** Matches an origin that every parser reads alike; other URLs are parsed completely. */
const ORIGIN = /^https?:\/\/[\w.:[\]-]+(?=\/)/;

/** Caches, because parsing a URL costs more than the rest of a call. */
export function createOriginParser({ ca, findProxy, scope }: OriginRules): (url: string) => Origin {
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
    const proxy = findProxy(name);
    const origin = {
      hostname,
      port: number,
      host,
      tls: protocol === "https:" ? tlsOptions(name, ca, proxy !== undefined) : undefined,
      proxy,
      names: [name],
      key: `${protocol} ${name} ${number}${scope}`,
      length: text.length,
    };
    if (known.size >= MAX_ORIGINS) known.clear();
    known.set(text, origin);
    return origin;
  };
}

/** ALPN protocols. A server that speaks only HTTP/2 rejects the handshake. */
const HTTP_1_1 = "\x08http/1.1";

/**
 * Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable verification. Without a name, the certificate is checked
 * against the dialed address, which behind a proxy is that of the proxy.
 */
function tlsOptions(name: string, ca: OriginRules["ca"], isProxied: boolean): Bun.TLSOptions {
  return {
    rejectUnauthorized: true,
    ALPNProtocols: HTTP_1_1,
    ...((isProxied || isIP(name) === 0) && { serverName: name }),
    ...(ca !== undefined && { ca: [...ca] }),
  };
}
