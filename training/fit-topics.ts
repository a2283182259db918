/** Fits the built-in topics to their examples, and writes models/topics.weights. Run it when the examples or the encoder change. */
import { learnedModels } from "../src/evaluate/learned-models.ts";
import { fitTopics } from "../src/policy/topics/fit-topics.ts";
import { TOPIC_EXAMPLES } from "../src/policy/topics/topic-examples.ts";
import { writeWeights } from "./names/write-weights.ts";

const embed = await learnedModels.loadTextEmbedder();
const examples = Object.entries(TOPIC_EXAMPLES).map(([name, examples]) => ({ name, examples }));
const { center, topics } = fitTopics(embed, examples);
writeWeights(
  new URL("../models/topics.weights", import.meta.url).pathname,
  { topics: topics.map(({ name }) => name) },
  {
    center,
    directions: new Float32Array(topics.flatMap(({ direction }) => [...direction])),
    means: new Float32Array(topics.map(({ mean }) => mean)),
    deviations: new Float32Array(topics.map(({ deviation }) => deviation)),
  },
);
