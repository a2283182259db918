/** Azure OpenAI: addresses by deployment with an api-version, or the v1 API (spec 4.4, 4.5 and 4.6). */
import { unescapeName } from "../lib/text/fold-name.ts";
import { type Provider, referenceHeaders, type Upstream, type UpstreamCall } from "./provider.ts";

export const azure: Provider = {
  kind: "azure",
  address,
  headers,
  // `/models` lists what could be deployed. Only this version lists what is.
  modelList: (upstream) => ({
    urls: [`${resource(upstream)}/deployments?api-version=2022-12-01`],
    headers: headers(upstream),
  }),
  url: (upstream, call, capability) => {
    const scoped = azure.operations[capability]?.modelInPath?.(upstream);
    const deployment = scoped ? `/deployments/${encodeURIComponent(call.model ?? "")}` : "";
    return `${address(upstream)}${deployment}${call.tail}${search(upstream, call)}`;
  },
  clientHeaders: referenceHeaders,
  // Files, batches and responses belong to the resource, the rest to one deployment (spec 4.6).
  operations: {
    // Reasoning models reject `max_tokens`.
    chat: {
      modelInPath: usesDeployments,
      translated: { max_tokens: "max_completion_tokens" },
    },
    responses: {},
    embeddings: { modelInPath: usesDeployments },
    images: { modelInPath: usesDeployments },
    audio_speech: { modelInPath: usesDeployments },
    audio_transcription: { modelInPath: usesDeployments },
    files: { idPrefix: "file-" },
    completions: { modelInPath: usesDeployments },
    stored_responses: {},
    batches: {},
  },
  probe: { tail: "/models" },
};

function headers({ api_key }: Upstream): Record<string, string> {
  return api_key === null ? {} : { "api-key": api_key };
}

/** False for the v1 API, where the deployment is the `model` in the body. Registries of older releases have no `api`. */
function usesDeployments({ options: { api = "deployments" } }: Upstream): boolean {
  return api === "deployments";
}

function address(upstream: Upstream): string {
  return usesDeployments(upstream) ? resource(upstream) : `${resource(upstream)}/v1`;
}

/** Removes the path of a project or API that was copied from the portal with the endpoint. */
function resource({ options }: Upstream): string {
  const copied = String(options.endpoint).replace(/\/api\/projects\/.*$/, "");
  return `${copied.replace(/\/+$/, "").replace(/\/openai\/v1$/, "")}/openai`;
}

/** Preserves the client's query byte for byte, except its api-version: ours is appended. */
function search(upstream: Upstream, call: UpstreamCall): string {
  const pairs = call.search.slice(1).split("&");
  const kept = pairs.filter((pair) => pair !== "" && !VERSION.test(unescapeName(pair)));
  const { api, api_version } = upstream.options;
  if (usesDeployments(upstream))
    kept.push(`api-version=${encodeURIComponent(String(api_version))}`);
  if (api === "v1_preview") kept.push("api-version=preview");
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}

const VERSION = /^\s*api-version\s*(=|$)/i;
