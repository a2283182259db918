/** Detector of toxic language by category. */
import { z } from "zod";
import { defineDetector, type Inspector, type Match, type PartialInspection } from "../detector.ts";
import { inspectAll } from "../inspect-texts.ts";
import {
  findLastWindow,
  TOXICITY_CATEGORIES,
  TOXICITY_CONTEXT,
  type ToxicityCategory,
  type ToxicityScorer,
  type ToxicSpan,
} from "../learned/toxicity-scorer.ts";
import type { Segment } from "../segment.ts";
import { learnedSettings } from "../setting-schemas.ts";
import { findOpenInViews, readViews } from "../views/find-open-in-views.ts";

const Settings = learnedSettings(
  "Of 1,000 harmless messages with which the levels were chosen, `permissive` reported 0.1 %, `balanced` 1.1 % and `strict` 3.1 %; other texts may be reported more often.",
).extend({
  categories: z
    .array(z.enum(TOXICITY_CATEGORIES))
    .min(1)
    .default([...TOXICITY_CATEGORIES])
    .describe("Categories that are scored. The label of a finding is its category."),
});

const READS = ["user", "system", "assistant"] as const;

export const toxicity = defineDetector({
  kind: "toxicity",
  title: "Toxicity",
  summary:
    "Detects hate, harassment, violence, sexual content, profanity and self-harm in English text with a small learned model. It recognizes wording, not intent: report with it, or block with the level `permissive`.",
  reads: { input: READS, output: READS },
  masks: false,
  scores: true,
  settings: Settings,
  prepare: ({ level, threshold, categories }) => {
    const findThreshold: NonNullable<Inspector["findThreshold"]> = async ({ loadToxicityScorer }) =>
      threshold ?? (await loadToxicityScorer()).thresholds[level];
    const inspect: Inspector = async (texts, context) => {
      if (texts.length === 0) return [];
      const { services } = context;
      const scorer = await services.loadToxicityScorer();
      const options = { categories, threshold: await findThreshold(services) };
      return inspectAll(texts, (segment) => inspectSegment(scorer, segment, options), context);
    };
    // With a threshold of 0, the highest score is not known before the end of the text.
    return Object.assign(inspect, { findThreshold, ...(threshold !== 0 && { partial: PARTIAL }) });
  },
});

/** A window is final when its last word is. */
const PARTIAL: PartialInspection = {
  findOpenStart: (segment, from) =>
    findOpenInViews(segment, from, ({ text }, first) => Math.max(first, findLastWindow(text))),
  context: TOXICITY_CONTEXT,
};

/** Returns the spans from the threshold on, or else the window with the highest score as a match that is not reported. */
function inspectSegment(
  scorer: ToxicityScorer,
  segment: Segment,
  { categories, threshold }: { categories: readonly ToxicityCategory[]; threshold: number },
): Match[] {
  if (segment.isName) return [];
  const matches: Match[] = [];
  let best: Match | undefined;
  for (const view of readViews(segment)) {
    const toMatch = ({ category, score, start, end }: ToxicSpan): Match => ({
      label: category,
      type: "toxicity",
      confidence: score,
      at: { segment, ...view.toOriginal(start, end) },
    });
    const { spans, highest } = scorer.findSpans(view.text, categories, threshold);
    if (threshold > 0) matches.push(...spans.map(toMatch));
    if (highest && highest.score > (best?.confidence ?? 0)) best = toMatch(highest);
  }
  if (!best || matches.length > 0) return matches;
  return [threshold === 0 ? best : { ...best, reported: false }];
}
