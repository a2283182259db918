/** Detector of text about given topics. */
import { z } from "zod";
import { defineDetector, type InspectionContext, type Match } from "../detector.ts";
import { inspectAll } from "../inspect-texts.ts";
import { computeOnce, type Segment } from "../segment.ts";
import { learnedSettings, type ReportLevel } from "../setting-schemas.ts";
import { fitTopics } from "../topics/fit-topics.ts";
import type { TextEmbedder } from "../topics/text-embedder.ts";
import { createTopicClassifier, type TopicClassifier } from "../topics/topic-classifier.ts";
import { TOPIC_EXAMPLES, TOPIC_NAMES } from "../topics/topic-examples.ts";
import { foldText } from "../views/view.ts";

const Settings = learnedSettings(
  "For each topic, `permissive` reports about 0.1 % of sentences about something else, `balanced` 1 % and `strict` 3 %.",
)
  .extend({
    topics: z
      .array(z.enum(TOPIC_NAMES))
      .default(["violence", "self_harm", "drugs", "weapons", "sexual"])
      .describe("Built-in topics to detect."),
    custom_topics: z
      .array(
        z.strictObject({
          name: z
            .string()
            .regex(/^[a-z][a-z0-9_]{0,39}$/, "must be lower-case letters, digits and underscores")
            .describe("Label of the match in findings."),
          examples: z
            .array(z.string().trim().min(1).max(500))
            .min(4)
            .max(50)
            .describe(
              "Sentences about the topic, in English. Eight different ones are a good start.",
            ),
        }),
      )
      .max(20)
      .default([])
      .describe("Topics that your examples define.")
      .meta({ title: "Your own topics" }),
  })
  .refine(
    ({ topics, custom_topics }) => topics.length + custom_topics.length > 0,
    "must select a topic in topics or custom_topics",
  )
  .refine(
    ({ custom_topics }) =>
      custom_topics.every(
        ({ name }, index) =>
          !(name in TOPIC_EXAMPLES) &&
          custom_topics.findIndex((other) => other.name === name) === index,
      ),
    { path: ["custom_topics"], message: "must have unique names that are not built-in topics" },
  );

const THRESHOLDS: Readonly<Record<ReportLevel, number>> = {
  permissive: 0.69,
  balanced: 0.5,
  strict: 0.38,
};

export const topics = defineDetector({
  kind: "topics",
  title: "Topics",
  summary: "Detects English text about built-in topics, and about your own, which examples define.",
  reads: { input: ["user", "system"], output: ["assistant"] },
  masks: false,
  scores: true,
  settings: Settings,
  prepare: ({ level, threshold = THRESHOLDS[level], topics: selected, custom_topics }) => {
    const isSelected = ({ name }: { name: string }) => selected.some((topic) => topic === name);
    const builtIn = selected.map((name) => ({ name, examples: TOPIC_EXAMPLES[name] }));
    let classify: TopicClassifier | undefined;
    return async (texts, context) => {
      if (texts.length === 0) return [];
      const { services, isExempt } = context;
      const embed = await services.loadTextEmbedder();
      if (custom_topics.length > 0) {
        classify ??= createTopicClassifier(fitTopics(embed, [...builtIn, ...custom_topics]));
      } else {
        const { center, topics } = await services.loadTopicModel();
        classify ??= createTopicClassifier({ center, topics: topics.filter(isSelected) });
      }
      const model = { embed, classify, threshold, isExempt };
      return inspectAll(texts, (segment) => inspectSegment(segment, model), context);
    };
  },
});

/** Returns the highest score of each topic that is reported, or else the highest of all. Skips exempt windows. */
function inspectSegment(
  segment: Segment,
  model: {
    embed: TextEmbedder;
    classify: TopicClassifier;
    threshold: number;
    isExempt: InspectionContext["isExempt"];
  },
): Match[] {
  const best = new Map<string, Match>();
  const { exact, toOriginal } = computeOnce(segment, foldText);
  for (const { vector, start, end } of model.embed(exact)) {
    const at = { segment, ...toOriginal(start, end) };
    if (model.isExempt?.({ at })) continue;
    for (const { topic, score } of model.classify(vector)) {
      if (score <= (best.get(topic)?.confidence ?? -1)) continue;
      best.set(topic, { label: topic, type: "topic", confidence: score, at });
    }
  }
  const sorted = [...best.values()].sort((one, other) => other.confidence - one.confidence);
  const reported = sorted.filter(({ confidence }) => confidence >= model.threshold);
  if (reported.length > 0) return reported;
  return sorted.slice(0, 1).map((match) => ({ ...match, reported: false }));
}
