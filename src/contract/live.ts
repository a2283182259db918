/** Wire shapes of the live stream: notices that a list has changed, for pages that refresh themselves. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Id } from "./shapes.ts";

/** Lists whose changes are reported: data-plane requests, pending requests of the Store, evaluations, pending approvals. */
const LIVE_TOPICS = ["requests", "store_requests", "evaluations", "approvals"] as const;
export type LiveTopic = (typeof LIVE_TOPICS)[number];

/** Data of the event `changed`. */
export interface LiveNotice {
  topics: LiveTopic[];
}

export const streamChanges = endpoint({
  name: "stream_changes",
  method: "GET",
  path: "/v1/live",
  auth: "read",
  summary: "Stream notices of new events and pending decisions as server-sent events",
  query: z.strictObject({
    gateway_id: Id.optional().describe(
      "Gateway whose requests are watched. Required for a token that is limited to some gateways.",
    ),
  }),
  reply: z
    .string()
    .describe(
      '`event: changed` with `data: {"topics":[…]}` when the newest items of a list have changed. A topic is reported to callers that may read its list. `event: end` before the server closes the stream.',
    ),
});
