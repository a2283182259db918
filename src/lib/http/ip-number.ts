/** IP addresses as numbers, so that blocks of them can be compared. */
import { isIPv6 } from "node:net";

export const v4Number = (dotted: string): number =>
  dotted.split(".").reduce((number, part) => number * 256 + Number(part), 0);

/** Eight groups of 16 bits; undefined for anything that is not a plain IPv6 address (a zone is not). */
export function v6Groups(address: string): number[] | undefined {
  const parsed = isIPv6(address) ? URL.parse(`http://[${address}]/`)?.hostname : undefined;
  if (!parsed) return undefined;
  const [head = [], tail = []] = parsed
    .slice(1, -1)
    .split("::")
    .map((half) => half.split(":").filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}
