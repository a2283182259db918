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

const withoutParameters = new Map<string, DataEndpoint>();
/** Keyed by the path with `{}` as its parameter, such as `/files/{}/content`. */
const withParameter = new Map<string, DataEndpoint>();
for (const { operations, ...rest } of DATA_PLANE_ENDPOINTS) {
  const endpoint = { ...rest, methods: Object.keys(operations) };
  if (rest.path.includes("{")) withParameter.set(rest.path.replace(/\{\w+\}/, "{}"), endpoint);
  else withoutParameters.set(rest.path, endpoint);
}

export function matchEndpoint(request: Request, ids: RequestContext): MatchedRequest {
  const { slug, rest, search } = splitUrl(request.url);
  const match = matchTail(rest);
  if (!match) throw new AppError("not_found", UNKNOWN_PATH);
  return { request, ids, slug, search, ...match };
}

/** Splits `/{consumer}/v1/…?…` into the slug, the path after it and the query string with its `?`. */
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

export type EndpointMatch = Pick<MatchedRequest, "endpoint" | "tail" | "item">;

/** Matches the path after `/{consumer}`. Ignores trailing slashes. */
export function matchTail(path: string): EndpointMatch | undefined {
  if (!path.startsWith("/v1/")) return undefined;
  let end = path.length;
  while (path.charCodeAt(end - 1) === SLASH) end--;
  const tail = path.slice(3, end);
  const endpoint = withoutParameters.get(tail);
  if (endpoint) return { endpoint, tail, item: undefined };
  return matchParameter(tail);
}

function matchParameter(tail: string): EndpointMatch | undefined {
  const start = tail.indexOf("/", 1) + 1;
  if (start === 0) return undefined;
  const slash = tail.indexOf("/", start);
  const end = slash < 0 ? tail.length : slash;
  const endpoint = withParameter.get(`${tail.slice(0, start)}{}${tail.slice(end)}`);
  if (!endpoint || start === end) return undefined;
  const item = decodeSegment(tail.slice(start, end));
  // The id becomes part of an upstream URL, where `%2e%2e` or `%2F` would change the path (spec 4.6).
  const isValid = endpoint.capability !== "files" || FILE_ID.test(item);
  return isValid ? { endpoint, tail, item } : undefined;
}

const SLASH = 0x2f;
/** A decoded id: printable ASCII except `#`, `%`, `/`, `?` and `\`, and not only dots. */
export const FILE_ID = /^(?!\.+$)[!-"$&-.0->@-[\]-~]{1,1024}$/;

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
