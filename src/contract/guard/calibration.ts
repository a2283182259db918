/** Wire shapes of calibration: the scores of a collector's traffic, and the thresholds they suggest. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id, Time } from "../shapes.ts";

const path = "/v1/collectors/:collector_id/calibration";
const Share = z.number().min(0).max(1);

export const FlaggedTraffic = z.object({
  threshold: z.number().describe("The detector reports this score and higher ones."),
  count: z.int().describe("Evaluations with such a score."),
  share: Share.describe("Their share of all scored evaluations."),
  events: z
    .array(z.object({ id: Id, time: Time, score: z.number().describe("At least this score.") }))
    .describe("The newest of them that Activity stores, at most one for each bucket of scores."),
});
export type FlaggedTraffic = z.infer<typeof FlaggedTraffic>;

export const DetectorCalibration = z.object({
  detector_id: Id,
  detector_name: z.string(),
  kind: z.string(),
  since: Time.describe("Time of the first counted score."),
  count: z.int().describe("Scored evaluations. The highest score of each counts."),
  current: FlaggedTraffic.nullable().describe(
    "What the threshold of the detector, or that of its level, reports. null: unknown.",
  ),
  proposed: FlaggedTraffic.nullable().describe(
    "The lowest threshold that reports at most the target share. null: fewer than 1 / `fpr` evaluations were scored, or too many have the highest score.",
  ),
  histogram: z
    .array(z.object({ from: z.number(), to: z.number(), count: z.int() }))
    .describe("Evaluations by score, in buckets of equal width on a logit scale."),
});
export type DetectorCalibration = z.infer<typeof DetectorCalibration>;

export const getCalibration = endpoint({
  name: "get_calibration",
  method: "GET",
  path,
  auth: "read",
  reads_evaluations: true,
  summary: "Propose thresholds for the scoring detectors of a collector, from its own traffic",
  query: z.strictObject({
    fpr: z.coerce
      .number()
      .gt(0)
      .max(0.5)
      .default(0.01)
      .describe("Target false-positive rate: the share of benign evaluations to report."),
  }),
  reply: z.object({
    fpr: z.number(),
    assumption: z.string().describe("What the proposals assume about the traffic."),
    items: z.array(DetectorCalibration),
  }),
});

export const resetCalibration = endpoint({
  name: "reset_calibration",
  method: "DELETE",
  path,
  auth: "write",
  reads_evaluations: true,
  summary: "Delete the counted scores of a collector, to start again",
  writes: false,
});
