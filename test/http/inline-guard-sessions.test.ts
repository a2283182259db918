/** Policies and sessions of guarded consumers: overrides, reversible masks, large bodies. */
import { expect, test } from "bun:test";
import { addConsumer } from "../kit/dataplane.ts";
import { makeDetector, makePolicy } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit, startKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";
import type { ReceivedRequest } from "../kit/upstream.ts";

const kitOf = sharedKit();
const CHAT = "/v1/chat/completions";
const MAIL = "jane.doe@example.com";
const chat = (content: string) => ({ model: "m", messages: [{ role: "user", content }] });

/** Responds with the user's message. */
const echo = ({ body }: ReceivedRequest) => {
  const { content } = JSON.parse(body.toString()).messages[0];
  return { body: { choices: [{ index: 0, message: { role: "assistant", content } }] } };
};

async function contentOf(reply: Response): Promise<string> {
  const { choices } = (await reply.json()) as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content ?? "";
}

/** Masks personal data in requests reversibly, and restores it in responses. */
async function makeReversible() {
  const kit = await kitOf();
  const masking = await makeDetector(kit, "data_loss_prevention", { reversible: true });
  const restoring = await makeDetector(kit, "restore_masks");
  return {
    input_rules: [{ detector_id: masking.id, action: "transform" }],
    output_rules: [{ detector_id: restoring.id, action: "transform" }],
  };
}

test("the model gets pseudonyms, and the client the original values", async () => {
  await using it = await makeGuardedConsumer(await kitOf(), await makeReversible(), {
    script: echo,
  });

  const reply = await it.post(CHAT, chat(`Write to ${MAIL} now.`));

  expect(it.upstream.hits[0]?.body.toString()).toMatch(/Write to <EMAIL_[a-z2-7]{8}> now\./);
  expect(await contentOf(reply)).toBe(`Write to ${MAIL} now.`);
});

test("a session restores its pseudonyms in a later response, for its own consumer only", async () => {
  const kit = await kitOf();
  await using it = await makeGuardedConsumer(kit, await makeReversible(), { script: echo });
  const attach = [{ provider: "openai", url: it.upstream.url }];
  const other = await addConsumer(kit, it.gateway, attach);
  const session = { "x-session-id": "s1" };
  await it.post(CHAT, chat(MAIL), session);
  const [pseudonym = ""] = /<EMAIL_\w+>/.exec(it.upstream.hits[0]?.body.toString() ?? "") ?? [];
  const said = { body: { choices: [{ message: { role: "assistant", content: pseudonym } }] } };
  it.upstream.script(said);

  const same = await contentOf(await it.post(CHAT, chat("Who?"), session));
  const later = await contentOf(await it.post(CHAT, chat("Who?"), { "x-session-id": "s2" }));
  const foreign = await contentOf(await other.post(CHAT, chat("Who?"), session));

  expect([same, later, foreign]).toEqual([MAIL, pseudonym, pseudonym]);
});

test("session ids that only begin alike are different sessions", async () => {
  await using it = await makeGuardedConsumer(await kitOf(), await makeReversible(), {
    script: echo,
  });
  const [one, other] = ["1", "2"].map((end) => ({ "x-session-id": "s".repeat(256) + end }));
  await it.post(CHAT, chat(MAIL), one);
  const [pseudonym = ""] = /<EMAIL_\w+>/.exec(it.upstream.hits[0]?.body.toString() ?? "") ?? [];

  const same = await contentOf(await it.post(CHAT, chat(pseudonym), one));
  const foreign = await contentOf(await it.post(CHAT, chat(pseudonym), other));

  expect([same, foreign]).toEqual([MAIL, pseudonym]);
});

test("an override applies to the consumer; the user header of the client selects no policy", async () => {
  const kit = await kitOf();
  const { id: detector_id } = await makeDetector(kit, "data_loss_prevention");
  const input_rules = [{ detector_id, action: "block" }];
  await using it = await makeGuardedConsumer(kit, { input_rules });
  const lax = await makePolicy(kit, {});
  const overrides = `/v1/collectors/${it.collector.id}/overrides`;
  await kit.put(`${overrides}/jane`, { policy_id: lax.id });

  const claimed = await it.post(CHAT, chat(MAIL), { "x-user-id": "jane" });
  await kit.put(`${overrides}/${it.id}`, { policy_id: lax.id });
  const exempt = await it.post(CHAT, chat(MAIL));

  expect([claimed.status, exempt.status]).toEqual([403, 200]);
});

test("a large request is masked too", async () => {
  const kit = await kitOf();
  const { id: detector_id } = await makeDetector(kit, "data_loss_prevention");
  await using it = await makeGuardedConsumer(kit, {
    input_rules: [{ detector_id, action: "transform" }],
  });

  const reply = await it.post(CHAT, chat(`${"A castle. ".repeat(10_000)}${MAIL}`));

  expect(reply.status).toBe(200);
  expect(it.upstream.hits[0]?.body.length).toBeGreaterThan(100_000);
  expect(it.upstream.hits[0]?.body.includes(MAIL)).toBe(false);
});

test("a mask of the model is rejected, because routing has checked another name", async () => {
  const kit = await kitOf();
  const { id: detector_id } = await makeDetector(kit, "data_loss_prevention");
  await using it = await makeGuardedConsumer(kit, {
    input_rules: [{ detector_id, action: "transform" }],
  });

  const reply = await it.post(CHAT, { ...chat("Hello"), model: `model of ${MAIL}` });

  expect(reply.status).toBe(403);
  expect(await reply.json()).toMatchObject({
    error: { code: "guard_blocked", message: expect.stringContaining("masks the model") },
  });
  expect(it.upstream.hits).toEqual([]);
});

test("a shutdown ends the wait for an approval", async () => {
  const kit = await startKit({ settings: { SHUTDOWN_TIMEOUT_S: "1" } });
  const gate = { name: "all", when: null, action: "ask" };
  const guard = { on_ask: "wait", wait_s: 300 };
  await using it = await makeGuardedConsumer(kit, { gates: [gate] }, { guard });
  const waiting = it.post(CHAT, chat("Hello"));
  const pending = `/v1/approvals?collector_id=${it.collector.id}`;
  await until(async () => (await (await kit.get(pending)).json()).items.length === 1);

  await kit[Symbol.asyncDispose]();

  const reply = await waiting;
  expect(reply.status).toBe(503);
  expect(await reply.json()).toMatchObject({ error: { code: "shutting_down" } });
});
