/** Matches the path of a request to an endpoint of the data plane; any other path is a 404 (spec 4.4, 4.5 and 4.6). */

import { AppError } from "../contract/errors.ts";
import type { DataPlaneEndpoint } from "../contract/gateway/dataplane-endpoint.ts";
import { DATA_PLANE_ENDPOINTS } from "../contract/gateway/dataplane-endpoints.ts";
import { findPathStart } from "../lib/http/url-parts.ts";
import type { MatchedRequest, RequestContext } from "./stages.ts";

/** An endpoint of the table, with what requests read compiled at load. */
export interface MatchedEndpoint extends Omit<DataPlaneEndpoint, "operations"> {
  methods: readonly string[];
  /** The path ends with the id of a stored object, so that a DELETE deletes it. */
  is_object: boolean;
}

const V1 = "/v1";
const V1BETA = "/v1beta";
const MODELS = "/models/";

/** Keyed by version and path, such as `/v1/files`. */
const withoutParameters = new Map<string, MatchedEndpoint>();
/** Endpoints of `v1` whose paths have parameters. */
const withParameters: { pattern: RegExp; endpoint: MatchedEndpoint }[] = [];
/** Endpoints of a model of `v1beta`, by the rest of the path after the model, such as `:generateContent`. */
const ofGeminiModel = new Map<string, MatchedEndpoint>();
for (const { operations, ...rest } of DATA_PLANE_ENDPOINTS) {
  const is_object = /^[^{]*\{\w+\}$/.test(rest.path);
  const endpoint = { ...rest, methods: Object.keys(operations), is_object };
  const path = `/${rest.version}${rest.path}`;
  const pattern = new RegExp(`^${rest.path.replace(/\{\w+\}/g, "([^/]+)")}$`);
  if (path.startsWith(`${V1BETA}${MODELS}{`))
    ofGeminiModel.set(path.replace(/^.*\}/, ""), endpoint);
  else if (path.includes("{")) withParameters.push({ pattern, endpoint });
  else withoutParameters.set(path, endpoint);
}

export function matchEndpoint(request: Request, context: RequestContext): MatchedRequest {
  const { slug, rest, search } = splitUrl(request.url);
  const match = matchTail(rest);
  if (!match) throw new AppError("not_found", UNKNOWN_PATH);
  return { request, context, slug, search, ...match };
}

/** Splits `/{consumer}/{version}/…?…` into the slug, the path after it and the query string with its `?`. */
export function splitUrl(url: string): { slug: string; rest: string; search: string } {
  const start = findPathStart(url);
  const query = url.indexOf("?", start);
  const end = query < 0 ? url.length : query;
  const slash = url.indexOf("/", start + 1);
  const slugEnd = slash < 0 || slash > end ? end : slash;
  return {
    slug: url.slice(start + 1, slugEnd),
    rest: url.slice(slugEnd, end),
    search: url.slice(end),
  };
}

const UNKNOWN_PATH =
  "Unknown path. Paths of the gateway are /{consumer}/v1/chat/completions and the others listed at /docs.";

export type EndpointMatch = Pick<MatchedRequest, "endpoint" | "tail" | "item" | "path_model">;

/** Matches the path after `/{consumer}`. Ignores trailing slashes. */
export function matchTail(path: string): EndpointMatch | undefined {
  let end = path.length;
  while (path.charCodeAt(end - 1) === SLASH) end--;
  const trimmed = path.slice(0, end);
  const endpoint = withoutParameters.get(trimmed);
  if (endpoint) {
    const tail = trimmed.slice(endpoint.version.length + 1);
    return { endpoint, tail, item: undefined, path_model: undefined };
  }
  if (trimmed.startsWith(`${V1}/`)) {
    const tail = trimmed.slice(V1.length);
    return isGeminiMethod(tail) ? matchGeminiModel(tail) : matchParameters(tail);
  }
  return trimmed.startsWith(`${V1BETA}${MODELS}`)
    ? matchGeminiModel(trimmed.slice(V1BETA.length))
    : undefined;
}

function matchParameters(tail: string): EndpointMatch | undefined {
  for (const { pattern, endpoint } of withParameters) {
    const segments = pattern.exec(tail)?.slice(1);
    if (!segments) continue;
    const ids = segments.map(decodeSegment);
    // Ids become part of an upstream URL, where `%2e%2e` or `%2F` would change the path (spec 4.6).
    const isValid = !endpoint.capability || ids.every((id) => OBJECT_ID.test(id));
    return isValid ? { endpoint, tail, item: ids[0], path_model: undefined } : undefined;
  }
  return undefined;
}

/** Newer Google SDKs call the methods of a model at `v1`, beside the models of the OpenAI format. */
const isGeminiMethod = (tail: string): boolean =>
  tail.startsWith(MODELS) && ofGeminiModel.has(tail.slice(tail.lastIndexOf(":")));

/** Matches `/models/{model}:{method}`. A model may contain `/` and `:`, as in `@openrouter/vendor/name:free`. */
function matchGeminiModel(tail: string): EndpointMatch | undefined {
  const colon = tail.lastIndexOf(":");
  const method = colon < 0 ? undefined : ofGeminiModel.get(tail.slice(colon));
  const end = method ? colon : tail.length;
  const endpoint = method ?? ofGeminiModel.get("");
  if (!endpoint || end === MODELS.length) return undefined;
  const model = decodeSegment(tail.slice(MODELS.length, end));
  return endpoint.capability
    ? { endpoint, tail, item: undefined, path_model: model }
    : { endpoint, tail, item: model, path_model: undefined };
}

const SLASH = 0x2f;
/** A decoded id: printable ASCII except `#`, `%`, `/`, `?` and `\`, and not only dots. */
export const OBJECT_ID = /^(?!\.+$)[!-"$&-.0->@-[\]-~]{1,1024}$/;

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
