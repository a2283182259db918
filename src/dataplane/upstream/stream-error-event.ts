/** Builds the last event of an interrupted stream, in the client's dialect; never a `[DONE]`. */
import type { AppError, ErrorCode } from "../../contract/errors.ts";
import { writeError } from "../../dialects/generate-content/errors.ts";
import { isInvalidResponse } from "../../dialects/invalid-response.ts";
import type { MatchedEndpoint } from "../match-endpoint.ts";
import type { ForwardedRequest } from "../stages.ts";

const INTERRUPTED = "The upstream closed the stream early: this response is incomplete.";
const STALLED = "The upstream stopped sending: this response is incomplete.";

/** Errors of this program, whose messages explain the end of the stream. */
const OWN_ERRORS: readonly ErrorCode[] = ["shutting_down", "guard_blocked", "guard_unavailable"];

/** Clients of Gemini read a status from the event. */
const INTERNAL = 500;

type StreamError = { code: string; message: string; trace_id: string };

/** The response headers are already sent, so this cannot be an error body. */
const EVENTS: Record<
  MatchedEndpoint["dialect"],
  (error: StreamError) => { event?: string; fields: object }
> = {
  reference: ({ code, message, trace_id }) => ({
    fields: { error: { message, type: "upstream_error", code, param: null }, trace_id },
  }),
  responses: ({ code, message, trace_id }) => ({
    event: "error",
    fields: { type: "error", code, message, param: null, trace_id },
  }),
  messages: ({ code, message, trace_id }) => ({
    event: "error",
    fields: { type: "error", error: { type: "api_error", message, code }, trace_id },
  }),
  generate_content: ({ code, message, trace_id }) => ({
    fields: writeError({ status: INTERNAL, message, code }, { metadata: { trace_id } }),
  }),
};

/** Terminates an unfinished event in the `last` chunk first. */
export function buildStreamErrorEvent(
  { endpoint, context }: ForwardedRequest,
  error: AppError,
  last: Uint8Array | undefined,
): Uint8Array {
  const { code } = error;
  const isExplained = OWN_ERRORS.includes(code) || isInvalidResponse(error);
  const interruption = code === "upstream_timeout" ? STALLED : INTERRUPTED;
  const message = isExplained ? error.message : interruption;
  const { event, fields } = EVENTS[endpoint.dialect]({ code, message, trace_id: context.trace_id });
  const isFinished = !last || Buffer.from(last).toString("latin1").endsWith("\n\n");
  const name = event ? `event: ${event}\n` : "";
  return Buffer.from(`${isFinished ? "" : "\n\n"}${name}data: ${JSON.stringify(fields)}\n\n`);
}
