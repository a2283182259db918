/** How the console asks the server: one call for every endpoint, typed by its description. */
import type { z } from "zod";
import type { Endpoint, PathParams } from "../contract/endpoint.ts";
import { AppError, ERRORS, type ErrorCode } from "../contract/errors.ts";
import type { CSRF_HEADER } from "../contract/session.ts";

/** An endpoint without its schemas: those would bring zod into the browser. */
export interface EndpointRef<E extends Endpoint> {
  method: E["method"];
  path: E["path"];
  /** It changes nothing that is on the screen. */
  writes?: false;
  /** Never there: it only carries the type. */
  described?: E;
}

export interface CallInput<E extends Endpoint> {
  params: PathParams<E["path"]>;
  query?: z.input<E["query"]>;
  body?: z.input<E["body"]>;
  /** The version that was read: a change is made to this one or not at all. */
  version?: number;
}

/** Where the planes answer: one level above the console, whatever stands before it. */
export const ROOT_URL = new URL("..", document.baseURI);

/**
 * `changed` after a write, or on demand: what is on the screen is read again. `changed-elsewhere` after a
 * write of another tab. `signed-out` on a 401.
 */
export const events = new EventTarget();

/** What one tab of the console changes, the others show. */
const otherTabs = new BroadcastChannel("portcullis");
otherTabs.onmessage = () => events.dispatchEvent(new Event("changed-elsewhere"));

/** A call that is given up with the page that asked. */
export type Reader = <E extends Endpoint>(
  endpoint: EndpointRef<E>,
  asked: CallInput<E>,
) => Promise<z.output<E["reply"]>>;

export async function call<E extends Endpoint>(
  { method, path, writes }: EndpointRef<E>,
  { params, query, body, version }: CallInput<E>,
  signal: AbortSignal | null = null,
): Promise<z.output<E["reply"]>> {
  const reply = await sendRequest(buildUrl(path, params, query), {
    method,
    signal,
    headers: {
      [CSRF]: "1",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(version === undefined ? {} : { "if-match": `"${version}"` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // What stands in the way of a write may be newer than what is on the screen.
  if (method !== "GET" && writes !== false && (reply.ok || reply.status === 409)) {
    events.dispatchEvent(new Event("changed"));
    otherTabs.postMessage("changed");
  }
  if (!reply.ok) throw await readError(reply, path);
  // The server rendered it by the endpoint's own reply schema.
  return (reply.status === 204 ? undefined : await reply.json()) as z.output<E["reply"]>;
}

const CSRF: typeof CSRF_HEADER = "x-portcullis-csrf";

/** Where an endpoint answers, for what the browser itself fetches. */
export const endpointUrl = <E extends Endpoint>(
  { path }: EndpointRef<E>,
  asked: CallInput<E>,
): string => buildUrl(path, asked.params, asked.query).href;

function buildUrl(path: string, params: Record<string, string>, query: unknown): URL {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeSegment(params[name] ?? ""));
  const url = new URL(`.${filled}`, ROOT_URL);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  }
  return url;
}

function encodeSegment(value: string): string {
  // Browsers take these two out of every address, so the call would go to something else.
  if (value === "." || value === "..") {
    throw new AppError("validation_failed", `“${value}” can only be changed by the API, not here.`);
  }
  return encodeURIComponent(value);
}

async function sendRequest(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (thrown) {
    const text = "The server cannot be reached: is it running, and is the network up?";
    throw new AppError("unavailable", text, { cause: thrown });
  }
}

/** What the server said, with the id under which its log tells more. */
async function readError(reply: Response, path: string): Promise<AppError> {
  const said = (await reply.json().catch(() => ({}))) as { error?: string; message?: string };
  const code = said.error && said.error in ERRORS ? (said.error as ErrorCode) : "internal";
  // That call asks just this, so its own answer is no news.
  if (code === "unauthorized" && path !== "/v1/whoami") {
    events.dispatchEvent(new Event("signed-out"));
  }
  const trace_id = reply.headers.get("x-ag-trace-id");
  // A proxy in between answers in its own way.
  const message = said.message ?? `The server answered ${reply.status} ${reply.statusText}.`;
  return new AppError(code, message, { details: trace_id ? { trace_id } : {} });
}
