/** Reads and writes errors of OpenAI, which are the same in all of its APIs. */
import type { JsonObject } from "../lib/json/json-object.ts";
import { defined } from "./defined.ts";
import { asObject, asText } from "./invalid-response.ts";
import type { NeutralError } from "./neutral.ts";

/** Accepts the format of OpenAI, and the variants of compatible servers. */
export function readOpenAiError(status: number, body: unknown): NeutralError {
  const { error, message, detail } = asObject(body);
  const inner = asObject(error);
  const code = inner.code ?? inner.type;
  return defined({
    status,
    message:
      asText(inner.message) ||
      asText(error) ||
      asText(message) ||
      asText(detail) ||
      asText(body) ||
      `The upstream responded with status ${status}.`,
    code: typeof code === "string" ? code : undefined,
  });
}

export const writeOpenAiError = ({ status, message, code }: NeutralError): JsonObject => ({
  error: { message, type: getOpenAiErrorType(status), code: code ?? null, param: null },
});

/** Returns the error type of the OpenAI API. */
export function getOpenAiErrorType(status: number): string {
  return ERROR_TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}

const ERROR_TYPES: Record<number, string> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
};
