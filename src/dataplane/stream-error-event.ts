/** The last event of a stream that broke off, in the words of the client's dialect; never a `[DONE]`. */
import type { AppError } from "../contract/errors.ts";
import type { DataEndpoint } from "./match-endpoint.ts";
import type { ForwardedRequest } from "./stages.ts";

const BROKEN = "The upstream broke off: this answer is not complete.";

type Told = { code: string; message: string; trace_id: string };

/** The head of the answer is long out, so this cannot be an error body. */
const EVENTS: Record<DataEndpoint["dialect"], (told: Told) => { event?: string; fields: object }> =
  {
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
  };

/** `last`: the chunk before it. An event that it left unfinished is closed first. */
export function buildStreamErrorEvent(
  { endpoint, ids }: ForwardedRequest,
  error: AppError,
  last: Uint8Array | undefined,
): Uint8Array {
  const { code } = error;
  const message = code === "shutting_down" ? error.message : BROKEN;
  const { event, fields } = EVENTS[endpoint.dialect]({ code, message, trace_id: ids.trace_id });
  const finished = !last || Buffer.from(last).toString("latin1").endsWith("\n\n");
  const name = event ? `event: ${event}\n` : "";
  return Buffer.from(`${finished ? "" : "\n\n"}${name}data: ${JSON.stringify(fields)}\n\n`);
}
