import { expect, test } from "bun:test";
import { OTHER_SENTENCES, TOPIC_SENTENCES } from "../../../test/policy/topic-sentences.ts";
import { learnedModels } from "../../evaluate/learned-models.ts";
import { createTopicClassifier } from "./topic-classifier.ts";
import { TOPIC_EXAMPLES } from "./topic-examples.ts";

test("at 2 % false positives, 70 % of new sentences about the topics are found", async () => {
  const embed = await learnedModels.loadTextEmbedder();
  const topics = Object.entries(TOPIC_EXAMPLES).map(([name, examples]) => ({ name, examples }));
  const classify = createTopicClassifier(embed, topics);
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

test("text without known words has no windows", async () => {
  const embed = await learnedModels.loadTextEmbedder();

  expect(embed("")).toEqual([]);
  expect(embed("გამარჯობა")).toEqual([]);
  expect(embed("?!")).toEqual([]);
});
