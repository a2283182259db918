/** How the errors of an operation are described: one answer per status, with every code it can carry. */
import { ERRORS, type ErrorCode } from "../../contract/errors.ts";
import type { Reply } from "./openapi.ts";
import type { Schema } from "./schemas.ts";

/** Where others are asked before the answer, such as the issuer of a token for its keys. */
export const OTHERS_FAILED: readonly ErrorCode[] = [
  "upstream_address_refused",
  "upstream_unreachable",
  "upstream_failed",
  "upstream_timeout",
];

export function errorReplies(
  codes: readonly ErrorCode[],
  schemaOf: (code: ErrorCode) => Schema,
): Record<string, Reply> {
  const replies: Record<string, Reply> = {};
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
