/** Converts errors of the Anthropic format. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { defined } from "../defined.ts";
import { asObject, asText } from "../invalid-response.ts";
import type { NeutralError } from "../neutral.ts";

export function readMessagesError(status: number, body: unknown): NeutralError {
  const { type, message } = asObject(asObject(body).error);
  return defined({
    status,
    message: asText(message) || asText(body) || `The upstream responded with status ${status}.`,
    code: asText(type) || undefined,
  });
}

export const writeMessagesError = ({ status, message, code }: NeutralError): JsonObject => ({
  type: "error",
  error: { type: getMessagesErrorType(status), message, code: code ?? null },
});

/** Returns the error type of the Anthropic API. */
export function getMessagesErrorType(status: number): string {
  return ERROR_TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}

const ERROR_TYPES: Record<number, string> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  529: "overloaded_error",
};

/** HTTP status of an error event, which has only a type. */
export function getMessagesErrorStatus(type: string): number {
  const [status] = Object.entries(ERROR_TYPES).find(([, known]) => known === type) ?? [];
  if (status !== undefined) return Number(status);
  return type === "invalid_request_error" ? 400 : 500;
}
