/** Wire shapes of the playground: a short-lived token that the console sends instead of a key. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Time } from "../shapes.ts";

/** Header that carries the token. The console sends it instead of a consumer key. */
export const PLAYGROUND_HEADER = "x-ag-playground-token";

export const createPlaygroundToken = endpoint({
  name: "create_playground_token",
  method: "POST",
  path: "/v1/gateways/:gateway_id/consumers/:consumer_id/playground-token",
  auth: "write",
  summary: "Create a token for requests of a consumer, valid for 10 minutes",
  reply: z.object({
    token: z.string().describe("Sent as X-AG-Playground-Token instead of a consumer key."),
    expires_at: Time,
  }),
});

export const createCollectorToken = endpoint({
  name: "create_collector_playground_token",
  method: "POST",
  path: "/v1/collectors/:collector_id/playground-token",
  auth: "write",
  summary: "Create a token for evaluations of a collector, valid for 10 minutes",
  reply: z.object({
    token: z.string().describe("Sent as a Bearer token instead of a collector key."),
    expires_at: Time,
  }),
});
