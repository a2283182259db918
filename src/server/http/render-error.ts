/** Renders error responses, in one format per plane (spec 7). */
import type { Plane } from "../../contract/endpoint.ts";
import type { AppError, ErrorCode } from "../../contract/errors.ts";
import { writeError } from "../../dialects/generate-content/errors.ts";
import { getMessagesErrorType } from "../../dialects/messages/errors.ts";
import { getOpenAiErrorType } from "../../dialects/openai-errors.ts";
import type { RequestIds } from "../../route.ts";
import { html } from "../pages/html.ts";
import { plainPage } from "../pages/plain-page.ts";
import { isForm } from "./read-form.ts";

type Body = (error: AppError, ids: RequestIds) => object;

const BODY: Record<Plane, Body> = {
  admin: (error) => ({ error: error.code, message: error.message }),
  guard: (error, ids) => ({ error: error.message, ...ids }),
  mcp: (error, ids) => ({ error: error.code, message: error.message, ...ids }),
  gateway: (error, ids) =>
    error.code === "rate_limited"
      ? { error: error.message, ...error.details } // spec 7, rate limiting
      : {
          error: {
            message: error.message,
            type: getOpenAiErrorType(error.status),
            code: error.code,
            param: error.details.param ?? null,
            ...approvalMembers(error),
          },
          trace_id: ids.trace_id,
        },
};

/** Members of a request that needs an approval. */
function approvalMembers({ details: { approval_id, approval_url } }: AppError): object {
  return approval_id === undefined ? {} : { approval_id, approval_url };
}

/** Format of the Anthropic API, with our code, param, approval and retry_after added. */
const messagesBody: Body = (error, ids) => {
  const { code, status, message, details } = error;
  const type = anthropicType(code, status);
  return {
    type: "error",
    error: { type, message, code, param: details.param ?? null, ...approvalMembers(error) },
    ...(details.retry_after ? { retry_after: details.retry_after } : {}),
    ...ids,
  };
};

export function renderError(
  plane: Plane,
  error: AppError,
  ids: RequestIds,
  headers: Record<string, string>,
  request: Pick<Request, "url" | "headers"> = NO_REQUEST,
): Response {
  const { url } = request;
  if (plane === "guard" && TOKEN_PATH.test(url) && isForm(request))
    return oauthError(error, ids, headers);
  const body = plane === "gateway" ? selectBody(request) : BODY[plane];
  const response = Response.json(body(error, ids), { status: error.status, headers });
  // The OpenAI and Anthropic clients retry any failure unless this header is set.
  if (plane === "gateway" && isPermanent(error)) response.headers.set("x-should-retry", "false");
  if (error.details.retry_after) response.headers.set("retry-after", error.details.retry_after);
  if (error.details.allow) response.headers.set("allow", error.details.allow);
  if (error.details.upgrade) {
    // https://www.rfc-editor.org/rfc/rfc9110#section-15.5.22
    response.headers.set("upgrade", error.details.upgrade);
    response.headers.set("connection", "Upgrade");
  }
  if (error.status === 401) response.headers.set("www-authenticate", challenge(error));
  closeAfterTimeout(error, response);
  return response;
}

const NO_REQUEST = { url: "", headers: new Headers() };
const TOKEN_PATH = /^[^?]*\/v1\/token(?=\?|$)/;

/** https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
function oauthError(
  { code, status, message, details }: AppError,
  ids: RequestIds,
  headers: Record<string, string>,
): Response {
  const isClient = code === "unauthorized" || code === "forbidden";
  const other = status < 500 ? "invalid_request" : "server_error";
  const body = {
    error: details.oauth ?? (isClient ? "invalid_client" : other),
    error_description: message.replaceAll(/["\\]/g, "'"),
    ...ids,
  };
  const response = Response.json(body, { status: isClient ? 401 : status, headers });
  if (isClient) response.headers.set("www-authenticate", 'Basic realm="token"');
  closeAfterTimeout({ status }, response);
  return response;
}

const isForAnthropic = ({ url, headers }: Pick<Request, "url" | "headers">): boolean =>
  MESSAGES_PATH.test(url) || (MODELS_PATH.test(url) && headers.has("anthropic-version"));

const isForGoogle = ({ url, headers }: Pick<Request, "url" | "headers">): boolean =>
  GEMINI_PATH.test(url) || (MODELS_PATH.test(url) && headers.has("x-goog-api-key"));

function selectBody(request: Pick<Request, "url" | "headers">): Body {
  if (isForAnthropic(request)) return messagesBody;
  return isForGoogle(request) ? geminiBody : BODY.gateway;
}

/** Format of Google APIs, with our code, param and approval in the details. */
const geminiBody: Body = (error, { trace_id }) => {
  const { status, message, code, details } = error;
  const { param, approval_id, approval_url, retry_after } = details;
  const named = { trace_id, param, approval_id, approval_url };
  const metadata = Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return writeError({ status, message, code }, { metadata, retry_after });
};

const GEMINI_PATH = /^[^?]*?\/\/[^/?]+(?:\/[^/?]+)?\/v1beta(?=[/?]|$)/;
const MESSAGES_PATH = /^[^?]*\/v1\/messages(?=[/?]|$)/;
const MODELS_PATH = /^[^?]*\/v1\/models(?=[/?]|$)/;

/** Returns true when a retry cannot succeed until the request or the configuration changes. */
const isPermanent = ({ code, status }: AppError): boolean =>
  code === "no_backend_available" || (status < 500 && !TRANSIENT.includes(status));

const TRANSIENT: readonly number[] = [408, 409, 429, 499];

/** Renders a JSON-RPC error without an id, as the MCP transport specifies. */
export function renderRpcError(
  plane: Plane,
  error: AppError,
  ids: RequestIds,
  headers: Record<string, string>,
): Response {
  const { code, message, details } = error;
  const { retry_after } = details;
  const data = { code, ...ids, ...(retry_after === undefined ? {} : { retry_after }) };
  const rpc_code = code === "invalid_json" ? PARSE_ERROR : SERVER_ERROR;
  const body = { jsonrpc: "2.0", id: null, error: { code: rpc_code, message, data } };
  const { status, headers: sent } = renderError(plane, error, ids, headers);
  return Response.json(body, { status, headers: sent });
}

/** https://www.jsonrpc.org/specification#error_object */
const PARSE_ERROR = -32700;
const SERVER_ERROR = -32000;

/** Renders an error as a page, for browsers. */
export function renderErrorPage(
  _: Plane,
  error: AppError,
  { trace_id }: RequestIds,
  headers: Record<string, string>,
): Response {
  const content = html`<p>${error.message}</p><p><small>Trace ${trace_id}</small></p>`;
  const page = plainPage("Error", content, headers);
  const response = new Response(page.body, { status: error.status, headers: page.headers });
  closeAfterTimeout(error, response);
  return response;
}

/** Closes the connection: the rest of a late body would be read as the next request. */
function closeAfterTimeout({ status }: Pick<AppError, "status">, { headers }: Response): void {
  if (status === 408) headers.set("connection", "close");
}

/** Returns the WWW-Authenticate header; RFC 9728 metadata describes how to get a token. */
function challenge({ details }: AppError): string {
  const { resource_metadata } = details;
  return resource_metadata ? `Bearer resource_metadata="${resource_metadata}"` : "Bearer";
}

/** Returns the error type of the Anthropic API. */
const anthropicType = (code: ErrorCode, status: number): string =>
  code === "no_backend_available" ? "api_error" : getMessagesErrorType(status);
