/** Azure OpenAI: addresses by deployment, with an api-version on every call (spec 4.4, 4.5 and 4.6). */
import { type Provider, referenceHeaders, type Upstream, type UpstreamCall } from "./provider.ts";

export const azure: Provider = {
  kind: "azure",
  address,
  headers,
  // `/models` lists what could be deployed. Only this version lists what is.
  modelList: (upstream) => ({
    url: `${address(upstream)}/deployments?api-version=2022-12-01`,
    headers: headers(upstream),
  }),
  url: (upstream, call, capability) => {
    const scoped = azure.operations[capability]?.modelInPath;
    const deployment = scoped ? `/deployments/${encodeURIComponent(call.model ?? "")}` : "";
    return `${address(upstream)}${deployment}${call.tail}${search(upstream, call)}`;
  },
  clientHeaders: referenceHeaders,
  // Files and responses belong to the resource, the rest to one deployment (spec 4.6).
  operations: {
    chat: { modelInPath: true },
    responses: {},
    embeddings: { modelInPath: true },
    images: { modelInPath: true },
    audio_speech: { modelInPath: true },
    audio_transcription: { modelInPath: true },
    files: { idPrefix: "file-" },
    completions: { modelInPath: true },
  },
  probe: { tail: "/models" },
};

function headers({ api_key }: Upstream): Record<string, string> {
  return api_key === null ? {} : { "api-key": api_key };
}

/** Removes the project path of an endpoint that was copied from the portal. */
function address({ options }: Upstream): string {
  const endpoint = String(options.endpoint).replace(/\/api\/projects\/.*$/, "");
  return `${endpoint.replace(/\/+$/, "")}/openai`;
}

/** Preserves the client's query byte for byte, except its api-version: ours is appended. */
function search({ options }: Upstream, call: UpstreamCall): string {
  const pairs = call.search.slice(1).split("&");
  const kept = pairs.filter((pair) => pair !== "" && !VERSION.test(decodePair(pair)));
  return `?${[...kept, `api-version=${encodeURIComponent(String(options.api_version))}`].join("&")}`;
}

const VERSION = /^\s*api-version\s*(=|$)/i;

function decodePair(pair: string): string {
  try {
    return decodeURIComponent(pair);
  } catch {
    return pair;
  }
}
