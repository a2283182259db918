/** Describes the errors of an operation: one response per status, with all its codes. */
import { ERRORS, type ErrorCode } from "../../contract/errors.ts";
import type { OpenApiResponse } from "./openapi.ts";
import type { JsonSchema } from "./schemas.ts";

/** Errors of operations that call other servers, such as the issuer of a token for its keys. */
export const UPSTREAM_ERRORS: readonly ErrorCode[] = [
  "upstream_address_refused",
  "upstream_unreachable",
  "upstream_failed",
  "upstream_timeout",
];

export function errorResponses(
  codes: readonly ErrorCode[],
  schemaOf: (code: ErrorCode) => JsonSchema,
): Record<string, OpenApiResponse> {
  const replies: Record<string, OpenApiResponse> = {};
  for (const code of codes) {
    const { status, message } = ERRORS[code];
    const earlier = replies[status]?.description;
    const sentence = `\`${code}\`: ${message}`;
    replies[status] = {
      description: earlier ? `${earlier}\n${sentence}` : sentence,
      content: { "application/json": { schema: schemaOf(code) } },
    };
  }
  return replies;
}
