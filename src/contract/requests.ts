/** Wire shape of a request that the data plane answered, as Activity tells it. No bodies. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Id, PageQuery, page, Text, Time } from "./shapes.ts";

export const Attempt = z.object({
  registry_id: Id,
  status: z.int().nullable().describe("What the upstream answered; null when it did not."),
  error: z.string().nullable(),
  ms: z.number(),
});

export const RequestEvent = z.object({
  id: Id.describe("The request id."),
  time: Time,
  trace_id: z.string(),
  gateway_id: Id,
  consumer_id: Id,
  key_id: Id,
  endpoint: z.string(),
  method: z.string(),
  registry_id: Id.nullable().describe("The registry whose answer was passed on."),
  provider: z.string().nullable(),
  attempts: z.array(Attempt),
  model_asked: z.string().nullable(),
  model_sent: z.string().nullable(),
  status: z.int(),
  error_code: z.string().nullable(),
  request_bytes: z.int(),
  response_bytes: z.int(),
  ttfb_ms: z.number().nullable().describe("Until the first byte of the answer was at hand."),
  total_ms: z.number(),
  input_tokens: z.int().nullable().describe("As the upstream's answer told."),
  output_tokens: z.int().nullable(),
});
export type RequestEvent = z.infer<typeof RequestEvent>;

export const listRequests = endpoint({
  name: "list_requests",
  method: "GET",
  path: "/v1/gateways/:gateway_id/requests",
  auth: "read",
  summary:
    "List the requests the data plane answered, newest first; a filter may take several pages",
  query: PageQuery.omit({ sort: true, q: true }).extend({
    consumer_id: Id.optional(),
    key_id: Id.optional(),
    registry_id: Id.optional(),
    endpoint: Text.optional(),
    error_code: Text.optional(),
    trace_id: Text.optional(),
    status: z.coerce.number().int().optional(),
    from: Time.optional().describe("From this time on."),
    to: Time.optional().describe("Before this time."),
  }),
  reply: page(RequestEvent),
});
