/** Catalog of all detectors, by kind. */
import type { Detector } from "../detector.ts";
import { codeSanitation } from "./code-sanitation.ts";
import { dataLossPrevention } from "./data-loss-prevention.ts";
import { docAnalyzer } from "./doc-analyzer.ts";
import { gateway } from "./gateway.ts";
import { http } from "./http.ts";
import { indirectPromptInjection } from "./indirect-prompt-injection.ts";
import { injectionProtection } from "./injection-protection.ts";
import { multiTurnRisk } from "./multi-turn-risk.ts";
import { promptGuard } from "./prompt-guard.ts";
import { promptModeration } from "./prompt-moderation.ts";
import { restoreMasks } from "./restore-masks.ts";
import { secrets } from "./secrets.ts";
import { sizeLimit } from "./size-limit.ts";
import { systemPromptLeak } from "./system-prompt-leak.ts";
import { toolPermission } from "./tool-permission.ts";
import { toolSelection } from "./tool-selection.ts";
import { topics } from "./topics.ts";
import { toxicity } from "./toxicity.ts";
import { unicode } from "./unicode.ts";
import { uninspected } from "./uninspected.ts";
import { urlAnalyzer } from "./url-analyzer.ts";

const ALL = [
  promptGuard,
  indirectPromptInjection,
  toxicity,
  dataLossPrevention,
  secrets,
  promptModeration,
  systemPromptLeak,
  multiTurnRisk,
  topics,
  injectionProtection,
  codeSanitation,
  urlAnalyzer,
  unicode,
  docAnalyzer,
  uninspected,
  toolPermission,
  toolSelection,
  sizeLimit,
  restoreMasks,
  http,
  gateway,
];

export const detectors: ReadonlyMap<string, Detector> = new Map(
  ALL.map((detector) => [detector.kind, detector]),
);

/** Returns the paths of secrets in the settings of a kind. */
export const secretPathsOf = (kind: string): readonly string[] =>
  detectors.get(kind)?.secrets ?? [];
