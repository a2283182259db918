/** Wire shapes of statistics: counts over time of requests and evaluations, for charts. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { STATUSES } from "./guard/actions.ts";
import { Id, Text, Time } from "./shapes.ts";

export const STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx"] as const;
export const VERDICTS = [...STATUSES, "error"] as const;

const Count = z.int();
const Series = z.array(Count).describe("One number per interval.");
const Quantiles = z.array(z.number().nullable()).describe("One number per interval; null: none.");

const RangeQuery = z.strictObject({
  from: Time.optional().describe("Start of the range. 24 hours before `to` by default."),
  to: Time.optional().describe("End of the range. Now by default."),
});

/** The range that was counted: the requested one, extended to whole intervals. */
const counted = {
  from: Time,
  to: Time,
  step_s: Count.describe("Length of an interval in seconds."),
};

const RequestTotals = z.object({
  requests: Count,
  errors: Count.describe("Responses with a status of 400 or higher."),
  rate_limited: Count.describe("Requests that a rate limit rejected."),
  input_tokens: Count,
  output_tokens: Count,
});
export type RequestTotals = z.infer<typeof RequestTotals>;

export const RequestStatistics = z.object({
  ...counted,
  totals: RequestTotals,
  previous: RequestTotals.describe("Totals of the range of the same length before this one."),
  by_status: z.partialRecord(z.enum(STATUS_CLASSES), Series),
  rate_limited: Series,
  input_tokens: Series,
  output_tokens: Series,
  registries: z
    .array(
      z.object({
        registry_id: Id,
        requests: Count,
        p50_ms: z.number().nullable().describe("Median duration, within 9 %."),
        p95_ms: z.number().nullable().describe("95th percentile, within 9 %."),
        p50_over_time: Quantiles,
        p95_over_time: Quantiles,
      }),
    )
    .describe("The 10 registries with the most requests."),
  consumers: z
    .array(RequestTotals.pick({ requests: true, errors: true }).extend({ consumer_id: Id }))
    .describe("The 10 consumers with the most requests."),
  models: z
    .array(RequestTotals.omit({ errors: true, rate_limited: true }).extend({ model: z.string() }))
    .describe("The 10 models with the most requests. Rejected requests have no model here."),
  errors: z
    .array(
      z.object({
        status: Count,
        error_code: z.string().nullable().describe("null: a response of the upstream."),
        requests: Count,
      }),
    )
    .describe("The 10 most frequent errors."),
});
export type RequestStatistics = z.infer<typeof RequestStatistics>;

export const requestStatistics = endpoint({
  name: "get_request_statistics",
  method: "GET",
  path: "/v1/gateways/:gateway_id/statistics",
  auth: "read",
  summary: "Count data-plane requests over time, by status, registry, consumer and model",
  query: RangeQuery.extend({
    consumer_id: Id.optional(),
    registry_id: Id.optional(),
    model: Text.optional().describe("Model in the upstream request."),
    status: z.coerce.number().int().optional(),
    error_code: Text.optional(),
  }),
  reply: RequestStatistics,
});

export const ActivityStatistics = z.object({
  ...counted,
  total: Count,
  previous_total: Count.describe("Evaluations in the range of the same length before this one."),
  totals: z.partialRecord(z.enum(VERDICTS), Count),
  previous: z.partialRecord(z.enum(VERDICTS), Count),
  by_status: z.partialRecord(z.enum(VERDICTS), Series),
  detectors: z
    .array(
      z.object({
        source: z.string().describe("Id of a detector, or name of a gate."),
        findings: Count,
      }),
    )
    .describe("The 10 detectors and gates with the most findings."),
  types: z
    .array(
      z.object({
        type: z.string().describe("Kind of match, such as `credit_card`."),
        findings: Count,
      }),
    )
    .describe("The 10 most frequent kinds of matches."),
});
export type ActivityStatistics = z.infer<typeof ActivityStatistics>;

export const activityStatistics = endpoint({
  name: "get_activity_statistics",
  method: "GET",
  path: "/v1/activity/statistics",
  auth: "read",
  summary: "Count evaluations over time by verdict, and findings by detector and kind",
  query: RangeQuery.extend({
    gateway_id: Id.optional(),
    collector_id: Id.optional().describe("Does not limit the findings."),
  }),
  reply: ActivityStatistics,
});
