/** Errors of the Gemini API: google.rpc.Status as JSON. */
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { asText } from "../invalid-response.ts";
import type { NeutralError } from "../neutral.ts";

export interface GoogleErrorContext {
  /** Strings beside the code, such as the trace id. */
  metadata?: Record<string, string>;
  /** Seconds to wait before a retry. */
  retry_after?: string | undefined;
}

/** https://google.aip.dev/193 describes the format. The code is the `reason` of the first detail. */
export function writeError(
  { status, message, code }: NeutralError,
  { metadata, retry_after }: GoogleErrorContext = {},
): JsonObject {
  const details: JsonObject[] = [];
  if (code !== undefined) {
    const info = { "@type": `${TYPE_PREFIX}ErrorInfo`, reason: code, domain: "portcullis" };
    details.push(metadata ? { ...info, metadata } : info);
  }
  if (retry_after !== undefined) {
    details.push({ "@type": `${TYPE_PREFIX}RetryInfo`, retryDelay: `${retry_after}s` });
  }
  const name = STATUS_NAMES[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL");
  return { error: { code: status, message, status: name, ...(details.length > 0 && { details }) } };
}

/** Reads an error body, which is in a list if the response would have been streamed as one. */
export function readError(status: number, body: unknown): NeutralError {
  const root: unknown = Array.isArray(body) ? body[0] : body;
  const error = isObject(root) && isObject(root.error) ? root.error : {};
  const { status: name, details } = error;
  const message = asText(error.message) || `HTTP status ${status}.`;
  const code = readReason(details) ?? name;
  return { status, message, ...(typeof code === "string" && { code }) };
}

function readReason(details: unknown): unknown {
  const list: unknown[] = Array.isArray(details) ? details : [];
  const info = list.find((each) => isObject(each) && typeof each.reason === "string");
  return isObject(info) ? info.reason : undefined;
}

const TYPE_PREFIX = "type.googleapis.com/google.rpc.";

const STATUS_NAMES: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
  // Anthropic is overloaded.
  529: "UNAVAILABLE",
};
