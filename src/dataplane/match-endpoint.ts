/** Matches the path of a request to an endpoint of the data plane; any other path is a 404 (spec 4.4, 4.5 and 4.6). */
import type { DataPlaneEndpoint } from "../contract/dataplane-endpoint.ts";
import { DATA_PLANE_ENDPOINTS } from "../contract/dataplane-endpoints.ts";
import { AppError } from "../contract/errors.ts";
import { findPathStart } from "../lib/http/url-parts.ts";
import type { MatchedRequest, RequestContext } from "./stages.ts";

/** An endpoint of the table, with what requests read compiled at load. */
export interface DataEndpoint extends Omit<DataPlaneEndpoint, "operations"> {
  methods: readonly string[];
}

/** Keyed by version and path, such as `/v1/files`. */
const withoutParameters = new Map<string, DataEndpoint>();
/** Keyed by version and path with `{}` as its parameter, such as `/v1/files/{}/content`. */
const withParameter = new Map<string, DataEndpoint>();
for (const { operations, ...rest } of DATA_PLANE_ENDPOINTS) {
  const endpoint = { ...rest, methods: Object.keys(operations) };
  const path = `/${rest.version}${rest.path}`;
  if (path.includes("{")) withParameter.set(path.replace(/\{\w+\}/, "{}"), endpoint);
  else withoutParameters.set(path, endpoint);
}

export function matchEndpoint(request: Request, ids: RequestContext): MatchedRequest {
  const { slug, rest, search } = splitUrl(request.url);
  const match = matchTail(rest);
  if (!match) throw new AppError("not_found", UNKNOWN_PATH);
  return { request, ids, slug, search, ...match };
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
  if (trimmed.startsWith("/v1/")) return matchParameter(trimmed.slice(V1.length));
  return trimmed.startsWith(GEMINI_MODELS) ? matchGeminiModel(trimmed) : undefined;
}

function matchParameter(tail: string): EndpointMatch | undefined {
  const start = tail.indexOf("/", 1) + 1;
  if (start === 0) return undefined;
  const slash = tail.indexOf("/", start);
  const end = slash < 0 ? tail.length : slash;
  const endpoint = withParameter.get(`${V1}${tail.slice(0, start)}{}${tail.slice(end)}`);
  if (!endpoint || start === end) return undefined;
  const item = decodeSegment(tail.slice(start, end));
  // The id becomes part of an upstream URL, where `%2e%2e` or `%2F` would change the path (spec 4.6).
  const isValid = endpoint.capability !== "files" || FILE_ID.test(item);
  return isValid ? { endpoint, tail, item, path_model: undefined } : undefined;
}

/** Matches `/v1beta/models/{model}:{method}`. A model may contain `/` and `:`, as in `@openrouter/vendor/name:free`. */
function matchGeminiModel(path: string): EndpointMatch | undefined {
  const colon = path.lastIndexOf(":");
  const method =
    colon < 0 ? undefined : withParameter.get(`${GEMINI_MODELS}{}${path.slice(colon)}`);
  const end = method ? colon : path.length;
  const endpoint = method ?? withParameter.get(`${GEMINI_MODELS}{}`);
  if (!endpoint || end === GEMINI_MODELS.length) return undefined;
  const model = decodeSegment(path.slice(GEMINI_MODELS.length, end));
  const tail = path.slice(endpoint.version.length + 1);
  return endpoint.capability
    ? { endpoint, tail, item: undefined, path_model: model }
    : { endpoint, tail, item: model, path_model: undefined };
}

const SLASH = 0x2f;
const V1 = "/v1";
const GEMINI_MODELS = "/v1beta/models/";
/** A decoded id: printable ASCII except `#`, `%`, `/`, `?` and `\`, and not only dots. */
export const FILE_ID = /^(?!\.+$)[!-"$&-.0->@-[\]-~]{1,1024}$/;

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
