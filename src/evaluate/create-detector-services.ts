/** Collects the services that detectors call in one evaluation. */
import type { DetectorServices } from "../policy/detector.ts";
import { learnedModels } from "./learned-models.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

export const createDetectorServices = (
  host: EvaluationHost,
  restore: DetectorServices["restore"],
  addRisk: DetectorServices["addRisk"],
): DetectorServices => ({
  post: host.post,
  ask: host.ask,
  scoreWindows: host.scoreWindows,
  ...learnedModels,
  restore,
  addRisk,
});
