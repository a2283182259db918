/** Which endpoint of the data plane does a path name? Whatever is not in this table is a 404 (spec 4.4, 4.5 and 4.6). */
import { AppError } from "../contract/errors.ts";
import type { Capability } from "../contract/registries.ts";
import { findPathStart } from "../lib/http/url-parts.ts";
import type { MatchedRequest, RequestContext } from "./stages.ts";

export interface DataEndpoint {
  /** Names it in events and in the explain answer. */
  name: string;
  /** Undefined: answered here, without an upstream. */
  capability: Capability | undefined;
  methods: readonly string[];
  /** What a POST carries. */
  body: "json" | "form" | "json_or_form" | "none";
  /** The setting that caps a form. JSON is held in memory, so its cap is the same everywhere. */
  form_cap: "JSON_BODY_MIB" | "MEDIA_BODY_MIB" | "FILES_BODY_MIB";
  /** How a stream that broke off is told to the client, by the dialect it reads. */
  dialect: "reference" | "responses" | "messages";
  /** Returns the bytes of a file: ranges and the headers that describe them are passed on. */
  download?: true;
}

const POST = ["POST"] as const;
const json = (name: string, capability: Capability): DataEndpoint => ({
  name,
  capability,
  methods: POST,
  body: "json",
  form_cap: "JSON_BODY_MIB",
  dialect: "reference",
});
const form = (name: string, capability: Capability): DataEndpoint => ({
  ...json(name, capability),
  body: "form",
  form_cap: "MEDIA_BODY_MIB",
});
const files = (name: string, methods: readonly string[]): DataEndpoint => ({
  ...json(name, "files"),
  methods,
  body: "json_or_form",
  form_cap: "FILES_BODY_MIB",
});
const models = (name: string): DataEndpoint => ({
  ...json(name, "chat"),
  capability: undefined,
  methods: ["GET"],
  body: "none",
});

/** By the path behind `/{consumer}/v1`. */
const FIXED = new Map<string, DataEndpoint>([
  ["/chat/completions", json("chat", "chat")],
  ["/responses", { ...json("responses", "responses"), dialect: "responses" }],
  ["/messages", { ...json("messages", "messages"), dialect: "messages" }],
  ["/embeddings", json("embeddings", "embeddings")],
  ["/images/generations", json("images.generations", "images")],
  ["/images/edits", form("images.edits", "images")],
  ["/images/variations", form("images.variations", "images")],
  ["/audio/speech", json("audio.speech", "audio_speech")],
  ["/audio/transcriptions", form("audio.transcriptions", "audio_transcription")],
  ["/files", files("files", ["GET", "POST"])],
  ["/models", models("models")],
]);

const FILE = files("files.one", ["GET", "DELETE"]);
const FILE_CONTENT: DataEndpoint = { ...files("files.content", ["GET"]), download: true };
const MODEL = models("models.one");

export function matchEndpoint(request: Request, ids: RequestContext): MatchedRequest {
  const { slug, rest, search } = splitUrl(request.url);
  const found = matchTail(rest);
  if (!found) throw new AppError("not_found", NO_SUCH_PATH);
  return { request, ids, slug, search, ...found };
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

const NO_SUCH_PATH =
  "No endpoint of the gateway has this path: they are /{consumer}/v1/chat/completions and the others listed at /docs.";

export type Matched = Pick<MatchedRequest, "endpoint" | "tail" | "item">;

/** `path` is what stands behind `/{consumer}`; slashes at its end do not count. */
export function matchTail(path: string): Matched | undefined {
  if (!path.startsWith("/v1/")) return undefined;
  let end = path.length;
  while (path.charCodeAt(end - 1) === SLASH) end--;
  const tail = path.slice(3, end);
  const endpoint = FIXED.get(tail);
  if (endpoint) return { endpoint, tail, item: undefined };

  const [, kind, encoded = "", content] = ITEM.exec(tail) ?? [];
  if (kind === "models") {
    return content ? undefined : { endpoint: MODEL, tail, item: decoded(encoded) };
  }
  // The id goes into an upstream address: `%2e%2e` or `%2F` there would lead to another path (spec 4.6).
  const item = decoded(encoded);
  if (kind !== "files" || !FILE_ID.test(item)) return undefined;
  return { endpoint: content ? FILE_CONTENT : FILE, tail, item };
}

const SLASH = 0x2f;
const ITEM = /^\/(files|models)\/([^/]+)(\/content)?$/;
/** A decoded id: printable ASCII except `#`, `%`, `/`, `?` and `\`, and not only dots. */
export const FILE_ID = /^(?!\.+$)[!-"$&-.0->@-[\]-~]{1,1024}$/;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
