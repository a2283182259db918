/** The last event of a stream that broke off, in the words of the client's dialect; never a `[DONE]`. */
import type { AppError } from "../contract/errors.ts";
import type { DataEndpoint } from "./match-endpoint.ts";
import type { Answered } from "./stages.ts";

const MESSAGE = "The upstream broke off: this answer is not complete.";

type Told = { code: string; trace_id: string };

/** The head of the answer is long out, so this cannot be an error body. */
const EVENTS: Record<DataEndpoint["dialect"], (told: Told) => { event?: string; fields: object }> =
  {
    reference: ({ code, trace_id }) => ({
      fields: { error: { message: MESSAGE, type: "upstream_error", code, param: null }, trace_id },
    }),
    responses: ({ code, trace_id }) => ({
      event: "error",
      fields: { type: "error", code, message: MESSAGE, param: null, trace_id },
    }),
    messages: ({ code, trace_id }) => ({
      event: "error",
      fields: { type: "error", error: { type: "api_error", message: MESSAGE, code }, trace_id },
    }),
  };

/** `last`: the chunk before it. An event that it left unfinished is closed first. */
export function breakEvent(
  { endpoint, ids }: Answered,
  { code }: AppError,
  last: Uint8Array | undefined,
): Uint8Array {
  const { event, fields } = EVENTS[endpoint.dialect]({ code, trace_id: ids.trace_id });
  const finished = !last || Buffer.from(last).toString("latin1").endsWith("\n\n");
  const name = event ? `event: ${event}\n` : "";
  return Buffer.from(`${finished ? "" : "\n\n"}${name}data: ${JSON.stringify(fields)}\n\n`);
}
