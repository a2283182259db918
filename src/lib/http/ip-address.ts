/** Where does a request really come from? The socket's address, or what a trusted proxy says of it. */
import { isIPv4, isIPv6 } from "node:net";

/** A block of addresses: those whose first `bits` of 128 equal the ones of `network`. */
export interface AddressBlock {
  network: bigint;
  bits: number;
}

/** `10.0.0.0/8`, `fd00::/8` or a single address; undefined for anything else. */
export function parseAddressBlock(text: string): AddressBlock | undefined {
  const [, address = "", length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
  const network = addressToBigInt(address);
  if (network === undefined) return undefined;
  const width = isIPv4(address) ? 32 : 128;
  const given = length === undefined ? width : Number(length);
  return given > width ? undefined : { network, bits: 128 - width + given };
}

/**
 * The nearest address that is no proxy of ours. Every proxy adds the address it was called from at
 * the right end of X-Forwarded-For, so only what stands right of the first stranger can be believed:
 * a forged header only adds text at the left.
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
    // Nonsense at this place was handed on by the proxy we came to: its own address is what we know.
    if (address === undefined) break;
    client = address;
  }
  return client;
}

/** What is counted as one client: an IPv4 address, or the /64 that an IPv6 customer is given whole. */
export function toAddressSubject(address: string): string {
  if (!address.includes(":")) return address;
  const number = addressToBigInt(address);
  if (number === undefined) return address;
  const groups = [112n, 96n, 80n, 64n].map((at) => ((number >> at) & 0xffffn).toString(16));
  return `${groups.join(":")}::/64`;
}

/** IPv4 inside IPv6 (`::ffff:10.0.0.1`) is the IPv4 address; sockets of two families show it so. */
function normalizeAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const number = addressToBigInt(text);
  if (number === undefined) return undefined;
  if (number >> 32n !== MAPPED) return text;
  return [24n, 16n, 8n, 0n].map((at) => (number >> at) & 0xffn).join(".");
}

const MAPPED = 0xffffn;

function isInAnyBlock(address: string, blocks: readonly AddressBlock[]): boolean {
  const number = addressToBigInt(address);
  if (number === undefined) return false;
  return blocks.some(({ network, bits }) => (number ^ network) >> BigInt(128 - bits) === 0n);
}

/** As 128 bits, IPv4 in its mapped form. A zone (`fe80::1%eth0`) belongs to our side of the link. */
function addressToBigInt(text: string): bigint | undefined {
  if (isIPv4(text)) return (MAPPED << 32n) | BigInt(ipv4ToNumber(text));
  const groups = parseIpv6Groups(text.replace(/%.*$/, ""));
  return groups?.reduce((number, group) => (number << 16n) | BigInt(group), 0n);
}

/** Some proxies write `203.0.113.7:51234` or `[2001:db8::1]:51234`. */
function stripPort(hop: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([^:]*):\d+$/.exec(hop)?.[1] ?? hop;
}

export const ipv4ToNumber = (dotted: string): number =>
  dotted.split(".").reduce((number, part) => number * 256 + Number(part), 0);

/** Eight groups of 16 bits; undefined for anything that is not a plain IPv6 address (a zone is not). */
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
