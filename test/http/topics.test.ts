/** Text about built-in topics and about topics of the administrator. */
import { expect, test } from "bun:test";
import type { Json } from "../kit/check-verdict.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kitOf = sharedKit();

const makeTopicGuard = async (settings: Json = {}, direction: "input" | "output" = "input") =>
  makeGuardWithRules(await kitOf(), "topics", { settings, direction });

test("text about a selected topic is found, with the window it is in", async () => {
  const guard = await makeTopicGuard({ topics: ["medical", "finance"] });
  const text = "Which medication did the doctor prescribe against the infection?";

  const { status, findings } = await guard.evaluate({ payload: { input: text } });

  expect(status).toBe("block");
  expect(findings).toMatchObject([
    {
      source: { plugin: "topics" },
      signal: { type: "topic" },
      evidence: { labels: { medical: 1 }, places: [{ pointer: "/input", start: 0 }] },
    },
  ]);
});

test("text about other topics, or none, is allowed", async () => {
  const guard = await makeTopicGuard({ topics: ["gambling"] });
  for (const input of [
    "Which medication did the doctor prescribe against the infection?",
    "How do I bake sourdough bread?",
    "你好世界",
    "?",
  ]) {
    expect((await guard.evaluate({ payload: { input } })).status).toBe("allow");
  }
});

test("a single command is about no topic", async () => {
  const guard = await makeTopicGuard();
  for (const input of ["Go!", "stop", "continue"]) {
    expect((await guard.evaluate({ payload: { input } })).status).toBe("allow");
  }
});

test("examples define a topic of your own, in output too", async () => {
  const examples = [
    "Our competitor's sailing boats are cheaper.",
    "Which yacht builder makes better hulls than we do?",
    "Compare our boats with those of other shipyards.",
    "The rival shipyard launched a new sailing yacht.",
    "Should I buy a boat from another boat builder?",
    "Their catamarans sail faster than ours.",
  ];
  const guard = await makeTopicGuard(
    { topics: [], custom_topics: [{ name: "rival_boats", examples }] },
    "output",
  );
  const evaluate = (input: string) => guard.evaluate({ direction: "output", payload: { input } });

  const found = await evaluate("The other shipyard builds a faster sailing boat.");

  expect(found.findings[0]?.evidence).toMatchObject({ labels: { rival_boats: 1 } });
  expect((await evaluate("The train was late because of snow.")).status).toBe("allow");
});

test("a threshold of 0 reports every text with its score", async () => {
  const guard = await makeTopicGuard({ threshold: 0, topics: ["drugs"] });

  const { findings } = await guard.evaluate({ payload: { input: "How do I tie a bow tie?" } });

  expect(findings[0]?.signal.confidence).toBeWithin(0, 0.4);
});

test.each([
  [{ topics: [] }, "must select a topic"],
  [{ topics: ["astrology"] }, "topics"],
  [{ custom_topics: [{ name: "drugs", examples: ["a", "b", "c", "d"] }] }, "unique names"],
  [{ custom_topics: [{ name: "x", examples: ["a"] }] }, "examples"],
])("settings %j are rejected", async (settings, message) => {
  const kit = await kitOf();

  const reply = await kit.call("POST", "/v1/detectors", { name: "T", kind: "topics", settings });

  expect(reply.status).toBe(422);
  expect(await reply.text()).toContain(message);
});
