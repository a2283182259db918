/** Stored policies with a pattern that this release rejects: the fail mode of the collector decides. */
import { expect, test } from "bun:test";
import type { Json } from "../kit/check-verdict.ts";
import { makeDetector } from "../kit/guard.ts";
import { type GuardedConsumer, makeGuardedConsumer } from "../kit/inline-guard.ts";
import { type Kit, startKit } from "../kit/kit.ts";

/** Each class has about 700 ranges. */
const OVERSIZED = Array.from({ length: 20 }, (_, at) => `[\\p{L}${at}]`).join("");

const DETECTOR = "with the pattern";
const GATE = "gate with the pattern";

/** Replaces the patterns of the stored policy. Returns a new key of the collector: its creation reloads the policy. */
async function plantPattern(kit: Kit, { collector }: GuardedConsumer): Promise<string> {
  const row = await kit.db.one<{ document: string }>("SELECT document FROM policy_versions");
  const stored = row?.document.replaceAll("planted", JSON.stringify(OVERSIZED).slice(1, -1)) ?? "";
  await kit.db.run("UPDATE policy_versions SET document = $1", stored);
  const path = `/v1/collectors/${collector.id}/keys`;
  return (await kit.make<{ key: string }>(path, { name: "test" })).key;
}

/** Sends a request with a card by `/v1/evaluate` and through the gateway. */
async function send(fail_mode: string, where: "rule" | "gate" | "condition") {
  await using kit = await startKit();
  const cards = await makeDetector(kit, "data_loss_prevention");
  const settings = { regex: ["planted"] };
  const kind = "prompt_moderation";
  const own = await kit.make("/v1/detectors", { name: DETECTOR, kind, settings });
  const when = { field: "consumer.id", op: "match", value: "planted" };
  const rule = { detector_id: own.id, action: "block" };
  const policy = {
    gates: where === "gate" ? [{ name: GATE, action: "block", when }] : [],
    input_rules: [
      ...(where === "rule" ? [rule] : []),
      ...(where === "condition" ? [{ ...rule, when }] : []),
      { detector_id: cards.id, action: "transform" },
    ],
  };
  await using it = await makeGuardedConsumer(kit, policy, { collector: { fail_mode } });
  const key = await plantPattern(kit, it);
  const content = "My card is 4111 1111 1111 1111.";
  const chat = { model: "m", messages: [{ role: "user", content }] };
  const headers = { authorization: `Bearer ${key}` };
  const evaluated = await kit.call("POST", "/v1/evaluate", { payload: chat }, headers);
  const inline = await it.post("/v1/chat/completions", chat);
  const [hit] = it.upstream.hits;
  return {
    evaluated: { status: evaluated.status, body: (await evaluated.json()) as Json },
    inline: { status: inline.status, body: (await inline.json()) as Json },
    sent: hit ? JSON.parse(hit.body.toString()) : undefined,
    recorded: await it.evaluations(inline.headers.get("x-ag-trace-id")),
  };
}

const CASES = [
  ["rule", DETECTOR],
  ["condition", DETECTOR],
  ["gate", GATE],
] as const;

test.each(CASES)("an oversized pattern in a %s fails if fail-closed", async (where) => {
  const { evaluated, inline, sent } = await send("closed", where);

  expect(evaluated).toMatchObject({ status: 500 });
  expect(inline).toMatchObject({ status: 503, body: { error: { code: "guard_unavailable" } } });
  expect(sent).toBeUndefined();
});

test("nothing of a stream is sent if an oversized pattern in a rule for responses fails", async () => {
  await using kit = await startKit();
  const settings = { regex: ["planted"] };
  const kind = "prompt_moderation";
  const { id: detector_id } = await kit.make("/v1/detectors", { name: DETECTOR, kind, settings });
  const output_rules = [{ detector_id, action: "block" }];
  const event = { choices: [{ index: 0, delta: { content: "Hello there. " } }] };
  const chunks = [`data: ${JSON.stringify(event)}\n\n`.repeat(50), "data: [DONE]\n\n"];
  const script = { headers: { "content-type": "text/event-stream" }, chunks };
  const collector = { fail_mode: "closed" };
  await using it = await makeGuardedConsumer(kit, { output_rules }, { collector, script });
  await plantPattern(kit, it);

  const reply = await it.post("/v1/chat/completions", { model: "m", messages: [], stream: true });

  expect(await reply.text()).not.toContain("Hello");
});

test.each(CASES)("an oversized pattern in a %s is skipped if fail-open", async (where, name) => {
  const { evaluated, inline, sent, recorded } = await send("open", where);

  const detectors = { failed: [{ detector_name: name }] };
  expect(evaluated).toMatchObject({ status: 200, body: { status: "transform", detectors } });
  expect(inline.status).toBe(200);
  expect(sent.messages[0].content).toContain("[MASKED_CC]");
  expect(recorded[0]).toMatchObject({ status: "transform", detectors });
});
