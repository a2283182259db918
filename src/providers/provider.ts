/** What a provider kind is: an address, headers, and the operations it has. A table, no I/O. */
import type { Capability, Kind } from "../contract/registries.ts";

/** A registry as its provider sees it: options checked, secrets in clear. */
export interface Upstream {
  options: Record<string, unknown>;
  /** null: the registry has no credential. */
  api_key: string | null;
}

/** One call to make: `tail` is the client's path after `/v1`, such as `/files/file-1/content`. */
export interface UpstreamCall {
  tail: string;
  /** The model to name upstream, when the request has one. */
  model: string | undefined;
  /** The client's query string with its `?`, or empty. */
  search: string;
}

export interface ProviderOperation {
  /** Where this operation lives when it is not the client's own tail. */
  tail?: (tail: string) => string;
  /** The model stands in the URL, so there must be one and it must fit there. */
  modelInPath?: true;
  /** How the ids of its files usually begin: such a registry is asked first, not alone. */
  idPrefix?: "file_" | "file-";
  /** The members of a JSON body that the two functions below are handed. */
  members?: readonly string[];
  /** Members to add to a JSON body, from those the client sent. */
  add?: (members: Record<string, unknown>) => Record<string, unknown>;
  /** Brings a successful JSON reply back into the reference shape; any other passes as it comes. */
  reply?: (reply: BufferedReply, members: Record<string, unknown>) => BufferedReply;
}

export interface BufferedReply {
  /** Names in lower case. */
  headers: Pick<ReadonlyMap<string, string>, "get">;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface Provider {
  kind: Kind;
  /** Address the tails hang on, version part included, without a slash at its end. */
  address: (upstream: Upstream) => string;
  headers: (upstream: Upstream) => Record<string, string>;
  /** Headers of the client that this kind understands, by capability where not for all. */
  clientHeaders?: (capability: Capability) => readonly string[];
  /** Full URL, for kinds whose paths are not address + tail. */
  url?: (upstream: Upstream, asked: UpstreamCall, capability: Capability) => string;
  /** What the kind can do is the keys of this table. */
  operations: Partial<Record<Capability, ProviderOperation>>;
  /** Model names that are listed where a consumer has no allow-list. Left out: none are known. */
  models?: readonly string[];
  /** A free call that tells whether address and credential are right. */
  probe: { tail: string };
}

/** An address option, or the provider's own; slashes at its end would double. */
export const addressOrDefault =
  (fallback: string) =>
  ({ options }: Upstream): string => {
    const address = String(options.base_url ?? fallback);
    return address.endsWith("/") ? address.replace(/\/+$/, "") : address;
  };

/** What the reference wire lets a client switch on. */
export const referenceHeaders = (): readonly string[] => REFERENCE_HEADERS;
const REFERENCE_HEADERS = ["openai-beta"];

export const bearerHeaders = ({ api_key }: Upstream): Record<string, string> =>
  api_key === null ? {} : { authorization: `Bearer ${api_key}` };

export const listCapabilities = (provider: Provider): Capability[] =>
  Object.keys(provider.operations) as Capability[];

export function buildUrl(
  provider: Provider,
  upstream: Upstream,
  asked: UpstreamCall,
  capability: Capability,
): string {
  if (provider.url) return provider.url(upstream, asked, capability);
  const tail = provider.operations[capability]?.tail?.(asked.tail) ?? asked.tail;
  return `${provider.address(upstream)}${tail}${asked.search}`;
}
