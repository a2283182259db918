/** Parses IP addresses, and finds the address of a client behind trusted proxies. */
import { isIPv4, isIPv6 } from "node:net";

/** The addresses whose first `bits` of 128 equal those of `network`. */
export interface AddressBlock {
  network: bigint;
  bits: number;
}

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address; returns undefined for anything else. */
export function parseAddressBlock(text: string): AddressBlock | undefined {
  const [, address = "", length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
  const network = addressToBigInt(address);
  if (network === undefined) return undefined;
  const width = isIPv4(address) ? 32 : 128;
  const given = length === undefined ? width : Number(length);
  return given > width ? undefined : { network, bits: 128 - width + given };
}

/**
 * Returns the nearest address that is not a trusted proxy. Each proxy appends the address it was called from
 * to X-Forwarded-For, so the list is read from its end, up to the first address that is not trusted. What a
 * client forges is to the left of that.
 */
export function findClientAddress(
  socket: string,
  forwarded: string | null,
  trusted: readonly AddressBlock[],
): string {
  let client = normalizeAddress(socket) ?? socket;
  if (forwarded === null || trusted.length === 0) return client;
  for (const hop of forwarded.split(",").reverse()) {
    if (!isInAnyBlock(client, trusted)) break;
    const address = normalizeAddress(stripPort(hop.trim()));
    // The proxy passed on something that is not an address: its own is the last one that is known.
    if (address === undefined) break;
    client = address;
  }
  return client;
}

/** Returns what is counted as one client: an IPv4 address, or the /64 network of an IPv6 address. */
export function toAddressSubject(address: string): string {
  if (!address.includes(":")) return address;
  const number = addressToBigInt(address);
  if (number === undefined) return address;
  const groups = [112n, 96n, 80n, 64n].map((at) => ((number >> at) & 0xffffn).toString(16));
  return `${groups.join(":")}::/64`;
}

/** Converts IPv4 inside IPv6 (`::ffff:10.0.0.1`), as dual-stack sockets report it, to IPv4. */
function normalizeAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const number = addressToBigInt(text);
  if (number === undefined) return undefined;
  if (number >> 32n !== MAPPED) return text;
  return [24n, 16n, 8n, 0n].map((at) => (number >> at) & 0xffn).join(".");
}

const MAPPED = 0xffffn;

export function isInAnyBlock(address: string, blocks: readonly AddressBlock[]): boolean {
  const number = addressToBigInt(address);
  if (number === undefined) return false;
  return blocks.some(({ network, bits }) => (number ^ network) >> BigInt(128 - bits) === 0n);
}

/** Returns 128 bits, IPv4 in its mapped form. Ignores a zone (`fe80::1%eth0`), which is local to this host. */
function addressToBigInt(text: string): bigint | undefined {
  if (isIPv4(text)) return (MAPPED << 32n) | BigInt(ipv4ToNumber(text));
  const groups = parseIpv6Groups(text.replace(/%.*$/, ""));
  return groups?.reduce((number, group) => (number << 16n) | BigInt(group), 0n);
}

/** Removes a port, which some proxies add: `203.0.113.7:51234`, `[2001:db8::1]:51234`. */
function stripPort(hop: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([^:]*):\d+$/.exec(hop)?.[1] ?? hop;
}

export const ipv4ToNumber = (dotted: string): number =>
  dotted.split(".").reduce((number, part) => number * 256 + Number(part), 0);

/** Returns eight groups of 16 bits; undefined for anything but an IPv6 address without a zone. */
export function parseIpv6Groups(address: string): number[] | undefined {
  const parsed = isIPv6(address) ? URL.parse(`http://[${address}]/`)?.hostname : undefined;
  if (!parsed) return undefined;
  const [head = [], tail = []] = parsed
    .slice(1, -1)
    .split("::")
    .map((half) => half.split(":").filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}
