/** Operations on calibration: proposes thresholds from the counted scores of a collector, and resets them. */

import { AppError } from "../contract/errors.ts";
import {
  type DetectorCalibration,
  type FlaggedTraffic,
  getCalibration,
  resetCalibration,
} from "../contract/guard/calibration.ts";
import type { DetectorResource } from "../contract/guard/detectors.ts";
import { recordChange } from "../db/record-change.ts";
import { detectorTable } from "../db/tables/detectors.ts";
import { evaluationEventTable } from "../db/tables/evaluation-events.ts";
import {
  deleteScoreBuckets,
  listScoreBuckets,
  type ScoreBucket,
} from "../db/tables/score-buckets.ts";
import type { Deps } from "../deps.ts";
import { readIdTime } from "../lib/ids.ts";
import { BUCKET_COUNT, findBucket, lowerEdge } from "../lib/logit-buckets.ts";
import { detectors as catalog } from "../policy/detectors/all.ts";
import { type Route, route } from "../route.ts";
import type { CollectorView } from "../snapshot/snapshot.ts";
import { learnedModels } from "./learned-models.ts";

const ASSUMPTION =
  "All counted traffic is assumed to be benign, so that every reported evaluation is a false positive. Attacks in it raise the proposed thresholds.";

export const calibrationRoutes: Route[] = [
  route(getCalibration, async (deps, { params, query: { fpr } }) => {
    const { id } = findCollector(deps, params);
    const detectors = new Map((await detectorTable.all(deps.db)).map((row) => [row.id, row]));
    const buckets = await listScoreBuckets(deps.db, id);
    const items: DetectorCalibration[] = [];
    for (const [detector_id, counted] of Map.groupBy(buckets, (row) => row.detector_id)) {
      const detector = detectors.get(detector_id);
      if (detector) items.push(await calibrate(deps, detector, counted, fpr));
    }
    return { fpr, assumption: ASSUMPTION, items };
  }),
  route(resetCalibration, async (deps, call) => {
    const { id, name, gateway_id } = findCollector(deps, call.params);
    await deps.db.transaction(async (db) => {
      const deleted = await deleteScoreBuckets(db, id);
      const change = { resource: "calibration", verb: "delete", id, name, gateway_id } as const;
      await recordChange({ ...deps, db }, call, { ...change, before: { deleted }, after: null });
    });
    return undefined;
  }),
];

function findCollector(deps: Deps, { collector_id }: { collector_id: string }): CollectorView {
  const collector = deps.snapshot().collectors.get(collector_id);
  if (!collector) throw new AppError("not_found", `Unknown collector ${collector_id}.`);
  return collector;
}

async function calibrate(
  deps: Deps,
  detector: DetectorResource,
  counted: readonly ScoreBucket[],
  fpr: number,
): Promise<DetectorCalibration> {
  const { id, name, kind } = detector;
  const total = countFrom(counted, 0);
  const threshold = await findThreshold(detector);
  const proposed = total < 1 / fpr ? undefined : findLowestBucket(counted, fpr * total);
  return {
    detector_id: id,
    detector_name: name,
    kind,
    since: counted.reduce(
      (first, { created_at }) => (created_at < first ? created_at : first),
      "~",
    ),
    count: total,
    current:
      threshold === undefined
        ? null
        : await describeFlagged(deps, counted, { threshold, from: findBucket(threshold) }),
    proposed:
      proposed === undefined
        ? null
        : await describeFlagged(deps, counted, { threshold: lowerEdge(proposed), from: proposed }),
    histogram: toHistogram(counted),
  };
}

/** Returns the threshold that is set, or that of the level. */
async function findThreshold({ kind, settings }: DetectorResource): Promise<number | undefined> {
  if (typeof settings.threshold === "number") return settings.threshold;
  return await catalog.get(kind)?.prepare(settings).findThreshold?.(learnedModels);
}

const countFrom = (counted: readonly ScoreBucket[], from: number): number =>
  counted.reduce((sum, { bucket, count }) => (bucket >= from ? sum + count : sum), 0);

/** Returns the lowest bucket at which at most `max` evaluations are reported; undefined if the last one has more. */
function findLowestBucket(counted: readonly ScoreBucket[], max: number): number | undefined {
  let reported = 0;
  for (const { bucket, count } of counted.toReversed()) {
    reported += count;
    if (reported > max) return bucket + 1 < BUCKET_COUNT ? bucket + 1 : undefined;
  }
  return 0;
}

/** Events per threshold, and the number of buckets in which they are looked for: retention may have deleted some. */
const MAX_EVENTS = 5;
const MAX_CANDIDATES = 50;

async function describeFlagged(
  { db }: Deps,
  counted: readonly ScoreBucket[],
  { threshold, from }: { threshold: number; from: number },
): Promise<FlaggedTraffic> {
  const count = countFrom(counted, from);
  const newest = counted
    .filter(({ bucket }) => bucket >= from)
    .sort((one, other) => (one.event_id < other.event_id ? 1 : -1))
    .slice(0, MAX_CANDIDATES);
  const ids = newest.map(({ event_id }) => event_id);
  const stored = await evaluationEventTable.page(db, {}, { limit: MAX_CANDIDATES }, { ids });
  const kept = new Set(stored.items.map(({ id }) => id));
  const events = newest
    .filter(({ event_id }) => kept.has(event_id))
    .slice(0, MAX_EVENTS)
    .map(({ event_id: id, bucket }) => {
      return { id, time: new Date(readIdTime(id)).toISOString(), score: lowerEdge(bucket) };
    });
  return { threshold, count, share: count / Math.max(1, countFrom(counted, 0)), events };
}

const BARS = 40;

function toHistogram(counted: readonly ScoreBucket[]): DetectorCalibration["histogram"] {
  const width = BUCKET_COUNT / BARS;
  const bars = Array.from({ length: BARS }, (_, index) => ({
    from: lowerEdge(index * width),
    to: lowerEdge((index + 1) * width),
    count: 0,
  }));
  for (const { bucket, count } of counted) {
    const bar = bars[Math.floor(bucket / width)];
    if (bar) bar.count += count;
  }
  return bars;
}
