/** Rejects private addresses, so that configured URLs and attachments cannot reach our own network (spec 4.3.5). */
import { lookup } from "node:dns/promises";
import { isIPv4, isIPv6 } from "node:net";
import { AppError } from "../contract/errors.ts";
import { ipv4ToNumber, parseIpv6Groups } from "../lib/http/ip-address.ts";

/** Reports whether an address is publicly routable. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return isPublicV4(ipv4ToNumber(address));
  const groups = parseIpv6Groups(address);
  return groups !== undefined && isPublicV6(groups);
}

export type HostKind = "public_address" | "name" | "refused";

/** Classifies the host of a URL without resolving it. A name must still pass resolvePublic. */
export function classifyHost(hostname: string): HostKind {
  const host = canonicalHost(hostname);
  if (host === undefined || host === "localhost" || host.endsWith(".localhost")) return "refused";
  if (!isIPv4(host) && !isIPv6(host)) return "name";
  return isPublicAddress(host) ? "public_address" : "refused";
}

/** Returns all addresses of a host, in the order to try them. */
export type Lookup = (hostname: string) => Promise<string[]>;

/** Sorts IPv4 first, because IPv6 is more often broken. */
export const systemLookup: Lookup = async (hostname) => {
  const found = await lookup(hostname, { all: true, order: "ipv4first" });
  return found.map(({ address }) => address);
};

/** Returns the public addresses of a host. Dial one of them, not the name, whose addresses could change. */
export async function resolvePublic(hostname: string, find: Lookup = systemLookup) {
  if (classifyHost(hostname) === "refused") throw new AppError("upstream_address_refused");
  const addresses = await resolveAny(hostname, find);
  const allowed = addresses.filter(isPublicAddress);
  if (allowed.length === 0) throw new AppError("upstream_address_refused");
  return allowed;
}

/** Returns the addresses of a host, for a registry that allows private addresses. */
export async function resolveAny(hostname: string, find: Lookup = systemLookup) {
  const host = canonicalHost(hostname);
  if (host === undefined) throw new AppError("upstream_address_refused");
  if (isIPv4(host) || isIPv6(host)) return [host];
  const addresses = await find(host).catch((cause: unknown) => {
    throw new AppError("upstream_unreachable", undefined, { cause });
  });
  if (addresses.length === 0) throw new AppError("upstream_unreachable");
  return addresses;
}

/** Normalizes a host: the URL parser converts octal, hex, short and full-width IPv4 to dotted form. */
export function canonicalHost(hostname: string): string | undefined {
  const host = isIPv6(hostname) ? `[${hostname}]` : hostname;
  if (!/^(\[[\da-f:.]+\]|[^\s/?#@\\:[\]]+)$/i.test(host)) return undefined;
  const parsed = URL.parse(`http://${host}/`)?.hostname;
  return parsed?.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "") || undefined;
}

const NON_PUBLIC_V4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // Azure's host agent, reachable from inside only
  "169.254.0.0/16", // link-local, cloud metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments, Oracle's metadata
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays, retired
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
].map((block) => {
  const [network = "", bits] = block.split("/");
  const size = 2 ** (32 - Number(bits));
  return { size, index: ipv4ToNumber(network) / size };
});

function isPublicV4(address: number): boolean {
  return !NON_PUBLIC_V4.some(({ size, index }) => Math.floor(address / size) === index);
}

function isPublicV6(groups: number[]): boolean {
  const [first = 0, second = 0, , , , , seventh = 0, eighth = 0] = groups;
  const prefix = groups.slice(0, 6).join();
  // ::ffff:0:0/96 (mapped) and 64:ff9b::/96 (NAT64) contain an IPv4 address.
  if (prefix === "0,0,0,0,0,65535" || prefix === "100,65435,0,0,0,0") {
    return isPublicV4(seventh * 65536 + eighth);
  }
  // Only 2000::/3 is routed. Loopback, ::a.b.c.d, unique local, link- and site-local, multicast: outside.
  const routed = first >= 0x2000 && first <= 0x3fff;
  const special =
    (first === 0x2001 && second < 0x0200) || // protocol assignments, Teredo
    (first === 0x2001 && second === 0x0db8) || // documentation
    first === 0x2002 || // 6to4, retired: carries any IPv4 address
    (first === 0x3fff && second < 0x1000); // documentation
  return routed && !special;
}
