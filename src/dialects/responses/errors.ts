/** Reads and writes errors in the responses format. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { asObject, asText } from "../invalid-response.ts";
import type { NeutralError } from "../neutral.ts";

export function writeResponsesError({ status, message, code }: NeutralError): JsonObject {
  return { error: { message, type: getType(status), param: null, code: code ?? null } };
}

function getType(status: number): string {
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

/** Reads the body of an error response. */
export function readResponsesError(status: number, body: unknown): NeutralError {
  const error = asObject(asObject(body).error);
  const message = asText(error.message) || `The upstream responded with status ${status}.`;
  const code = asText(error.code) || asText(error.type);
  return { status, message, ...(code && { code }) };
}

/** Statuses of errors inside of a stream, which has already started with 200. */
const STATUSES: Record<string, number> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  context_length_exceeded: 400,
  invalid_prompt: 400,
  server_overloaded: 503,
};

/** Reads the error of a stream event. */
export function readEventError(value: unknown): NeutralError {
  const error = asObject(value);
  const code = asText(error.code) || asText(error.type);
  return {
    status: STATUSES[code] ?? 500,
    message: asText(error.message) || "The upstream failed while it generated the response.",
    ...(code && { code }),
  };
}
