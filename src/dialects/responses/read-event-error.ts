/** Reads errors inside of a stream in the responses format. */
import { asObject, asText } from "../invalid-response.ts";
import type { NeutralError } from "../neutral.ts";

/** Statuses of errors inside of a stream, which has already started with 200. */
const STATUSES: Record<string, number> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  context_length_exceeded: 400,
  invalid_prompt: 400,
  server_overloaded: 503,
};

export function readEventError(value: unknown): NeutralError {
  const error = asObject(value);
  const code = asText(error.code) || asText(error.type);
  return {
    status: STATUSES[code] ?? 500,
    message: asText(error.message) || "The upstream failed while it generated the response.",
    ...(code && { code }),
  };
}
