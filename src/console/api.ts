/** Calls an endpoint of the server, typed by its description in `src/contract`. */
import type { z } from "zod";
import type { Endpoint, PathParams } from "../contract/endpoint.ts";
import { AppError, ERRORS, type ErrorCode } from "../contract/errors.ts";
import type { CSRF_HEADER } from "../contract/session.ts";

/** Method and path of an endpoint. Its schemas stay on the server: they would bring zod into the browser. */
export interface EndpointRef<E extends Endpoint> {
  method: E["method"];
  path: E["path"];
  /** False: the call changes nothing that is on the screen. */
  writes?: false;
  /** Never set; carries the type. */
  endpoint?: E;
}

export interface CallInput<E extends Endpoint> {
  params: PathParams<E["path"]>;
  query?: z.input<E["query"]>;
  body?: z.input<E["body"]>;
  /** Sent as If-Match: the server rejects the change if another version is stored. */
  version?: number;
}

/** Base URL of the API: one level above the console, behind any reverse proxy prefix. */
export const ROOT_URL = new URL("..", document.baseURI);

/**
 * `changed` after a write or a refresh: everything on the screen is loaded again. `changed-elsewhere` after
 * a write in another tab. `signed-out` on a 401.
 */
export const events = new EventTarget();

/** Notifies the other tabs of the console about a write. */
const otherTabs = new BroadcastChannel("portcullis");
otherTabs.onmessage = () => events.dispatchEvent(new Event("changed-elsewhere"));

/** Calls an endpoint; the call is aborted when its page is closed. */
export type Reader = <E extends Endpoint>(
  endpoint: EndpointRef<E>,
  input: CallInput<E>,
) => Promise<z.output<E["reply"]>>;

export async function call<E extends Endpoint>(
  { method, path, writes }: EndpointRef<E>,
  { params, query, body, version }: CallInput<E>,
  signal: AbortSignal | null = null,
): Promise<z.output<E["reply"]>> {
  const response = await sendRequest(buildUrl(path, params, query), {
    method,
    signal,
    headers: {
      [CSRF]: "1",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(version === undefined ? {} : { "if-match": `"${version}"` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // A conflict means that the screen may be out of date.
  if (method !== "GET" && writes !== false && (response.ok || response.status === 409)) {
    events.dispatchEvent(new Event("changed"));
    otherTabs.postMessage("changed");
  }
  if (!response.ok) throw await readError(response, path);
  // The server rendered it with the endpoint's own schema.
  return (response.status === 204 ? undefined : await response.json()) as z.output<E["reply"]>;
}

const CSRF: typeof CSRF_HEADER = "x-portcullis-csrf";

/** Returns the URL of an endpoint, for downloads by the browser itself. */
export const endpointUrl = <E extends Endpoint>(
  { path }: EndpointRef<E>,
  input: CallInput<E>,
): string => buildUrl(path, input.params, input.query).href;

function buildUrl(path: string, params: Record<string, string>, query: unknown): URL {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeSegment(params[name] ?? ""));
  const url = new URL(`.${filled}`, ROOT_URL);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  }
  return url;
}

function encodeSegment(value: string): string {
  // Browsers remove these two from every URL, so the call would go to another endpoint.
  if (value === "." || value === "..") {
    throw new AppError(
      "validation_failed",
      `“${value}” cannot be part of a URL in a browser. Use the API instead.`,
    );
  }
  return encodeURIComponent(value);
}

async function sendRequest(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (thrown) {
    const text = "The server is unreachable. Check that it is running and that you are online.";
    throw new AppError("unavailable", text, { cause: thrown });
  }
}

/** Returns the error of a response, with the trace id of the server's log. */
async function readError(response: Response, path: string): Promise<AppError> {
  const body = (await response.json().catch(() => ({}))) as { error?: string; message?: string };
  const code = body.error && body.error in ERRORS ? (body.error as ErrorCode) : "internal";
  // The caller of whoami handles the 401 itself.
  if (code === "unauthorized" && path !== "/v1/whoami") {
    events.dispatchEvent(new Event("signed-out"));
  }
  const trace_id = response.headers.get("x-ag-trace-id");
  // A proxy in between may send another kind of body.
  const message = body.message ?? `The server returned ${response.status} ${response.statusText}.`;
  return new AppError(code, message, { details: trace_id ? { trace_id } : {} });
}
