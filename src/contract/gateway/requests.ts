/** Wire shape of a data-plane request in Activity, without its body. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id, PageQuery, page, Text, Time } from "../shapes.ts";

export const Attempt = z.object({
  registry_id: Id,
  status: z.int().nullable().describe("Status of the upstream response; null if there was none."),
  error: z.string().nullable().describe("Error code, if the attempt failed."),
  message: z
    .string()
    .nullable()
    .default(null)
    .describe("Message of the error, or an excerpt of the upstream's error response."),
  ms: z.number().describe("Duration in milliseconds."),
});

export const RequestEvent = z.object({
  id: Id.describe("Request id."),
  time: Time,
  trace_id: z.string().describe("Trace id (W3C Trace Context)."),
  gateway_id: Id,
  consumer_id: Id,
  key_id: Id.nullable().describe("Null if the request was rejected without a valid key."),
  user_id: z
    .string()
    .nullable()
    .describe(
      "User that the caller names in `X-User-ID`, at most 128 characters; null without a valid key.",
    ),
  endpoint: z.string(),
  method: z.string(),
  registry_id: Id.nullable().describe("Registry whose response was forwarded."),
  provider: z.string().nullable(),
  attempts: z.array(Attempt).describe("All attempts, in order."),
  model_asked: z.string().nullable().describe("Model in the request of the client."),
  model_sent: z.string().nullable().describe("Model in the upstream request."),
  status: z.int().describe("Status of the response to the client."),
  error_code: z.string().nullable().describe("Code of an error that the gateway returned."),
  error_message: z.string().nullable().describe("Message of an error that the gateway returned."),
  upstream_error: z
    .string()
    .nullable()
    .describe(
      "Excerpt of an error response of the upstream that was forwarded: type, code and message, at most 500 characters.",
    ),
  request_bytes: z.int(),
  response_bytes: z.int(),
  ttfb_ms: z.number().nullable().describe("Milliseconds until the first byte of the response."),
  total_ms: z.number().describe("Milliseconds until the end of the response."),
  input_tokens: z.int().nullable().describe("As reported by the upstream."),
  output_tokens: z.int().nullable().describe("As reported by the upstream."),
});
export type RequestEvent = z.infer<typeof RequestEvent>;

/** Values of the filter by status class. */
const STATUS_FILTERS = ["errors", "2xx", "3xx", "4xx", "5xx"] as const;
export type StatusFilter = (typeof STATUS_FILTERS)[number];

export const listRequests = endpoint({
  name: "list_requests",
  method: "GET",
  path: "/v1/gateways/:gateway_id/requests",
  auth: "read",
  summary: "List data-plane requests, newest first; a filter may return short pages",
  query: PageQuery.omit({ sort: true, q: true }).extend({
    consumer_id: Id.optional(),
    key_id: Id.optional(),
    user_id: Text.optional(),
    registry_id: Id.optional(),
    endpoint: Text.optional(),
    model_sent: Text.optional(),
    error_code: Text.optional(),
    trace_id: Text.optional(),
    status: z.coerce.number().int().optional(),
    status_class: z
      .enum(STATUS_FILTERS)
      .optional()
      .describe("Hundreds of the status; `errors`: 400 and higher."),
    from: Time.optional().describe("Start of the range, inclusive."),
    to: Time.optional().describe("End of the range, exclusive."),
  }),
  reply: page(RequestEvent),
});
