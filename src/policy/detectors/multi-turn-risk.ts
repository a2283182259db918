/** Detector of attacks that are spread over several turns of a conversation. */
import { z } from "zod";
import { combineRisks } from "../combine-risks.ts";
import { defineDetector, type FoundMatch, type Match } from "../detector.ts";
import type { Segment } from "../segment.ts";
import { Level, type ReportLevel } from "../setting-schemas.ts";

const KINDS = [
  "prompt_guard",
  "indirect_prompt_injection",
  "toxicity",
  "prompt_moderation",
  "injection_protection",
  "code_sanitation",
  "unicode",
  "url_analyzer",
  "http",
  "gateway",
] as const;

const Settings = z.strictObject({
  level: Level.default("balanced").describe(
    "Risk that is reported: `permissive` 0.95, `balanced` 0.85, `strict` 0.7. At most 0.6 comes from one turn.",
  ),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      "Minimum risk, instead of a level. 0 reports every turn that adds to the risk, also the first.",
    ),
  kinds: z
    .array(z.enum(KINDS))
    .min(1)
    .default([
      "prompt_guard",
      "indirect_prompt_injection",
      "prompt_moderation",
      "injection_protection",
      "gateway",
    ])
    .describe(
      "Kinds of detectors whose scores are accumulated, also below their thresholds. They need rules of their own in the same policy, which may only report. Rules that transform are not counted.",
    ),
  min_score: z
    .number()
    .min(0.01)
    .max(1)
    .default(0.3)
    .describe("Score below which a turn adds nothing."),
  half_life_s: z
    .int()
    .min(1)
    .max(86_400)
    .default(1800)
    .describe("Seconds after which half of the risk of a session is forgotten."),
});

const THRESHOLDS: Readonly<Record<ReportLevel, number>> = {
  permissive: 0.95,
  balanced: 0.85,
  strict: 0.7,
};
/** Caps one turn: a rule of its own acts on a turn with a high score. */
const MAX_TURN_RISK = 0.6;

export const multiTurnRisk = defineDetector({
  kind: "multi_turn_risk",
  title: "Multi-turn risk",
  summary:
    "Detects attacks that are spread over several turns: accumulates the scores of other rules over a conversation or session.",
  reads: { input: ["user", "assistant", "tool_result", "attachment"], output: [] },
  masks: false,
  accumulates: true,
  settings: Settings,
  prepare: (settings) => {
    const { level, threshold = THRESHOLDS[level], min_score, half_life_s } = settings;
    const kinds = new Set<string>(settings.kinds);
    const scope = JSON.stringify(settings);
    return async (segments, { found = [], services }) => {
      const turns = splitTurns(segments);
      const highest = findHighest(found, kinds);
      const matches = turns.map((turn) =>
        turn.map((segment) => highest.get(segment)).reduce(pickHigher, undefined),
      );
      const last = pickHigher(matches.pop(), highest.get(undefined));
      if (!last || last.confidence < min_score) return [];
      const risks = [...matches, last].flatMap((match) =>
        match && match.confidence >= min_score ? [Math.min(match.confidence, MAX_TURN_RISK)] : [],
      );
      const texts = (turns.at(-1) ?? []).map(({ text }) => text);
      const score = risks.at(-1) ?? 0;
      const session = await services.addRisk({ scope, score, texts, half_life_s });
      // The conversation in the payload and the session contain the same turns.
      const risk = round(Math.max(risks.reduce(combineRisks), session?.risk ?? 0));
      const count = Math.max(risks.length, session?.turns ?? 0);
      if (risk < threshold || (count < 2 && threshold > 0)) return [];
      const detail = { turns: count, threshold };
      const type = "multi_turn_risk";
      return [{ label: type, type, confidence: risk, ...(last.at && { at: last.at }), detail }];
    };
  },
});

/** Rounds to three decimals: the risk of a session changes with every millisecond. */
const round = (risk: number): number => Math.round(risk * 1000) / 1000;

/** A turn is what the model gets between two of its responses. */
function splitTurns(segments: readonly Segment[]): Segment[][] {
  const turns: Segment[][] = [[]];
  for (const segment of segments) {
    if (segment.source !== "assistant") turns.at(-1)?.push(segment);
    else if (turns.at(-1)?.length) turns.push([]);
  }
  return turns.filter((turn) => turn.length > 0);
}

/** Returns the match with the highest score of each segment, and of those without a location. */
function findHighest(
  found: readonly FoundMatch[],
  kinds: ReadonlySet<string>,
): ReadonlyMap<Segment | undefined, Match> {
  const highest = new Map<Segment | undefined, Match>();
  for (const { kind, match } of found) {
    const segment = match.at?.segment;
    if (!kinds.has(kind)) continue;
    if (match.confidence > (highest.get(segment)?.confidence ?? 0)) highest.set(segment, match);
  }
  return highest;
}

const pickHigher = (one: Match | undefined, other: Match | undefined): Match | undefined =>
  (other?.confidence ?? 0) > (one?.confidence ?? 0) ? other : one;
