import { expect, test } from "bun:test";
import { OTHER_SENTENCES, TOPIC_SENTENCES } from "../../../test/policy/topic-sentences.ts";
import { learnedModels } from "../../evaluate/learned-models.ts";
import { fitTopics } from "./fit-topics.ts";
import { dotProduct } from "./text-embedder.ts";
import { createTopicClassifier } from "./topic-classifier.ts";
import { TOPIC_EXAMPLES } from "./topic-examples.ts";

test("at 2 % false positives, 70 % of new sentences about the topics are found", async () => {
  const embed = await learnedModels.loadTextEmbedder();
  const classify = createTopicClassifier(await learnedModels.loadTopicModel());
  const scoreOf = (text: string, name: string) => {
    const [window] = embed(text);
    return (window ? classify(window.vector) : []).find(({ topic }) => topic === name)?.score ?? 0;
  };
  const recalls = Object.entries(TOPIC_SENTENCES).map(([name, sentences]) => {
    const others = OTHER_SENTENCES.map((text) => scoreOf(text, name)).sort((a, b) => b - a);
    const limit = others[Math.floor(others.length * 0.02)] ?? 0;
    return sentences.filter((text) => scoreOf(text, name) > limit).length / sentences.length;
  });

  expect(recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length).toBeGreaterThan(0.7);
  expect(Math.min(...recalls)).toBeGreaterThan(0.4);
});

test("the model of the built-in topics is fitted to their examples, also beside other topics", async () => {
  const embed = await learnedModels.loadTextEmbedder();
  const { center, topics } = await learnedModels.loadTopicModel();
  const [first, ...others] = Object.entries(TOPIC_EXAMPLES).map(([name, examples]) => ({
    name,
    examples,
  }));

  const fitted = fitTopics(embed, [...others, ...(first ? [first] : [])]);

  expect(toNumbers(center)).toEqual(toNumbers(fitted.center));
  expect(topics.map(({ name }) => name)).toEqual(Object.keys(TOPIC_EXAMPLES));
  for (const { name, direction, mean, deviation } of topics) {
    const same = fitted.topics.find((topic) => topic.name === name);
    const distance = direction.map((value, index) => value - (same?.direction[index] ?? 0));
    expect(Math.sqrt(dotProduct(distance, distance))).toBeLessThan(1e-4);
    expect(mean).toBeCloseTo(same?.mean ?? 0, 4);
    expect(deviation).toBeCloseTo(same?.deviation ?? 0, 4);
  }
});

const toNumbers = (values: Float32Array): string[] =>
  Array.from(values, (value) => value.toFixed(4));

test("text without known words has no windows", async () => {
  const embed = await learnedModels.loadTextEmbedder();

  expect(embed("")).toEqual([]);
  expect(embed("გამარჯობა")).toEqual([]);
  expect(embed("?!")).toEqual([]);
});
