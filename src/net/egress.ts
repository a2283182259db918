/** Egress settings of outbound requests: trusted certificate authorities, and the proxy for a host. */
import { isIP } from "node:net";
import { rootCertificates } from "node:tls";
import { AppError } from "../contract/errors.ts";
import { type AddressBlock, isInAnyBlock, parseAddressBlock } from "../lib/http/ip-address.ts";

/** Egress settings of a registry, instead of those of the installation. */
export interface Egress {
  /** Certificate authorities (PEM) to trust, besides those of the installation. */
  ca?: string;
  /** HTTP proxy, with optional user and password. */
  proxy_url?: string;
}

/** Egress settings of the installation. */
export interface InstallationEgress {
  /** All certificate authorities (PEM) to trust. Default: the built-in ones. */
  ca?: readonly string[] | undefined;
  proxy_url?: string | undefined;
  /** Hosts that are reached without the proxy. */
  no_proxy?: readonly string[];
}

/** An HTTP proxy that opens connections for us (CONNECT, RFC 9110 section 9.3.6). */
export interface EgressProxy {
  hostname: string;
  port: number;
  /** Value of the Proxy-Authorization header. */
  authorization: string | undefined;
  /** The operator chose its address, so it may be private. */
  is_trusted: boolean;
}

/** Returns the authorities with another one. `known` is undefined for the built-in ones. */
export const addAuthority = (known: InstallationEgress["ca"], pem: string): readonly string[] => [
  ...(known ?? rootCertificates),
  pem,
];

/** Throws for anything but an http URL: TLS inside TLS is not supported. */
export function parseProxy(text: string, is_trusted: boolean): EgressProxy {
  const url = URL.parse(text);
  if (url?.protocol !== "http:" || url.hostname === "") {
    throw new AppError("upstream_unreachable", "The address of the egress proxy is invalid.");
  }
  const { hostname, port, username, password } = url;
  const user = [username, password].map(decodeURIComponent).join(":");
  return {
    hostname,
    port: Number(port || 80),
    authorization: username ? `Basic ${Buffer.from(user).toString("base64")}` : undefined,
    is_trusted,
  };
}

/** Hosts that no proxy can reach for us: this machine, its network segment and its metadata services. */
const ALWAYS_DIRECT = ["127.0.0.0/8", "::1", "169.254.0.0/16", "fe80::/10", "fd00:ec2::/32"]
  .concat("localhost", ".localhost", "metadata.google.internal")
  .map(parseDirectHost);

/** Reports whether no proxy can reach a canonical host name for us. */
export const isAlwaysDirect = (hostname: string): boolean =>
  ALWAYS_DIRECT.some((host) => isSameHost(host, hostname));

type DirectHost = { block: AddressBlock } | { name: string; suffix: string };

/** Parses an address, a block such as `10.0.0.0/8`, a host, or a domain with its hosts such as `.example.com`. */
function parseDirectHost(text: string): DirectHost {
  const block = parseAddressBlock(text.replace(/^\[|\]$/g, ""));
  if (block) return { block };
  const name = text.replace(/^\*?\./, "").toLowerCase();
  return { name, suffix: `.${name}` };
}

/** Returns a function that finds the proxy for a canonical host name; undefined: the host is dialed directly. */
export function createProxyFinder({
  proxy_url,
  no_proxy = [],
}: InstallationEgress): (hostname: string) => EgressProxy | undefined {
  if (proxy_url === undefined) return () => undefined;
  const proxy = parseProxy(proxy_url, true);
  const direct = no_proxy.map(parseDirectHost);
  return (hostname) =>
    isAlwaysDirect(hostname) || direct.some((host) => isSameHost(host, hostname))
      ? undefined
      : proxy;
}

function isSameHost(host: DirectHost, hostname: string): boolean {
  if ("block" in host) return isIP(hostname) !== 0 && isInAnyBlock(hostname, [host.block]);
  const name = hostname.toLowerCase();
  return name === host.name || name.endsWith(host.suffix);
}
