/** Describes a provider: its address, headers and operations. Data only, no I/O. */
import type { CloudAuth } from "../contract/gateway/cloud-auth.ts";
import type { Capability, Kind } from "../contract/gateway/registries.ts";

/** A registry for its provider: validated options, decrypted secrets. */
export interface Upstream {
  options: Record<string, unknown>;
  /** null when the registry has no API key. */
  api_key: string | null;
  /** Cloud identity whose credential is added to each request; null: none. */
  identity: CloudAuth | null;
}

/** One call to an upstream. `tail` is the client's path after the version, such as `/files/file-1/content`. */
export interface UpstreamCall {
  tail: string;
  /** The model to request, if the request has one. */
  model: string | undefined;
  /** The client's query string with its `?`, or empty. */
  search: string;
}

export interface ProviderOperation {
  /** Maps the client's path tail, if the upstream uses another one. */
  tail?: (tail: string) => string;
  /** Returns the full URL, if it is not address + tail. */
  url?: (upstream: Upstream, call: UpstreamCall) => string;
  /** Reports whether the URL contains the model, so that a URL-safe model is required. */
  modelInPath?: (upstream: Upstream) => boolean;
  /** The upstream has its own default model: the consumer's default, usually a chat model, is not sent. */
  hasDefaultModel?: true;
  /** Usual prefix of its file ids: such a registry is tried first. */
  idPrefix?: "file_" | "file-";
  /** Names at this upstream for members of a translated body; null leaves one out. */
  translated?: Readonly<Record<string, string | null>>;
  /** Members of the JSON body that are passed to the two functions below. */
  members?: readonly string[];
  /** Returns members to add to the JSON body. */
  add?: (members: Record<string, unknown>) => Record<string, unknown>;
  /** Converts a successful JSON reply to the OpenAI format. */
  reply?: (reply: BufferedReply, members: Record<string, unknown>) => BufferedReply;
}

export interface BufferedReply {
  /** Names in lower case. */
  headers: Pick<ReadonlyMap<string, string>, "get"> & {
    entries: () => Iterable<[string, string]>;
  };
  bytes: Uint8Array<ArrayBuffer>;
}

export interface ModelListRequest {
  /** Lists that are read one after the other. Further pages have a parameter appended to the URL. */
  urls: readonly string[];
  headers: Record<string, string>;
}

export interface Provider {
  kind: Kind;
  /** Base URL including the version, without a trailing slash. */
  address: (upstream: Upstream) => string;
  /** Without a capability: the headers of the probe. */
  headers: (upstream: Upstream, capability?: Capability) => Record<string, string>;
  /** Client headers that are forwarded, by capability. */
  clientHeaders?: (capability: Capability) => readonly string[];
  /** Returns the full URL, for providers whose paths are not address + tail. */
  url?: (upstream: Upstream, call: UpstreamCall, capability: Capability) => string;
  /** Operations by capability. */
  operations: Partial<Record<Capability, ProviderOperation>>;
  /** Requests for its list of models, if that is not `GET /models` at its address. */
  modelList?: (upstream: Upstream) => ModelListRequest;
  /** A free call that verifies address and credential. */
  probe: { tail: string } | { url: (upstream: Upstream) => string };
}

/** Returns the configured or default address, without trailing slashes. */
export const addressOrDefault =
  (fallback: string) =>
  ({ options }: Upstream): string => {
    const address = String(options.base_url ?? fallback);
    return address.endsWith("/") ? address.replace(/\/+$/, "") : address;
  };

/** Returns the feature headers of the OpenAI API. */
export const referenceHeaders = (): readonly string[] => REFERENCE_HEADERS;
const REFERENCE_HEADERS = ["openai-beta"];

export const bearerHeaders = ({ api_key }: Upstream): Record<string, string> =>
  api_key === null ? {} : { authorization: `Bearer ${api_key}` };

/** Returns the operations of the Gemini API below a base URL. Of the query string, only `alt` has an effect. */
export function createGeminiOperations(base: (upstream: Upstream) => string) {
  const operation: ProviderOperation = {
    modelInPath: () => true,
    url: (upstream, { tail, model = "" }) => {
      const method = tail.slice(tail.lastIndexOf(":"));
      const query = method === ":streamGenerateContent" ? "?alt=sse" : "";
      return `${base(upstream)}/models/${encodeURIComponent(model)}${method}${query}`;
    },
  };
  return { generate_content: operation, count_content_tokens: operation };
}

export const listCapabilities = (provider: Provider): Capability[] =>
  Object.keys(provider.operations) as Capability[];

export function buildUrl(
  provider: Provider,
  upstream: Upstream,
  call: UpstreamCall,
  capability: Capability,
): string {
  if (provider.url) return provider.url(upstream, call, capability);
  const operation = provider.operations[capability];
  if (operation?.url) return operation.url(upstream, call);
  const tail = operation?.tail?.(call.tail) ?? call.tail;
  return `${provider.address(upstream)}${tail}${call.search}`;
}
