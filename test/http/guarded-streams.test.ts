/** Calls in the events of a guarded stream: rules for tools read them with complete arguments. */
import { expect, test } from "bun:test";
import { makeDetector } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kitOf = sharedKit();

const DONE = "data: [DONE]\n\n";
const toData = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
const toScript = (chunks: string[]) => ({
  headers: { "content-type": "text/event-stream" },
  chunks,
});

/** Reads a stream of chat that may call `order` only with an amount. */
async function readOrder(events: object[]): Promise<string> {
  const kit = await kitOf();
  const known_tools = [{ name: "order", parameters: { required: ["amount"] } }];
  const { id: detector_id } = await makeDetector(kit, "tool_selection", { known_tools });
  const script = toScript([...events.map(toData), DONE]);
  const output_rules = [{ detector_id, action: "block" }];
  await using it = await makeGuardedConsumer(kit, { output_rules }, { script });
  const reply = await it.post("/v1/chat/completions", { model: "m", messages: [], stream: true });
  return await reply.text();
}

const createCall = (args: string) => ({
  tool_calls: [{ index: 0, id: "c", function: { name: "order", arguments: args } }],
});
const finish = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };

test.each([
  ["sent", '{"amount":1}'],
  ["blocked", "{}"],
])("an event whose delta and message contain the same call is %s: %s", async (outcome, args) => {
  const call = createCall(args);
  const events = [{ choices: [{ index: 0, delta: call, message: call }] }, finish];

  const text = await readOrder(events);

  expect(text.includes("order")).toBe(outcome === "sent");
});

test("an event whose message contains the call that its delta ends is sent", async () => {
  const [start, end] = ['{"amount":', "1}"];
  const delta = { tool_calls: [{ index: 0, function: { arguments: end } }] };
  const events = [
    { choices: [{ index: 0, delta: createCall(start) }] },
    { choices: [{ index: 0, delta, message: createCall(start + end) }] },
    finish,
  ];

  expect(await readOrder(events)).toContain("order");
});
test("a call beside another text of its event is evaluated when it is complete", async () => {
  const events = [
    {
      note: "hello my dear old friend",
      choices: [{ index: 0, delta: createCall('{"amount":1}') }],
    },
    finish,
  ];

  expect(await readOrder(events)).toContain("order");
});
