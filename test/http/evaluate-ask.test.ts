import { describe, expect, test } from "bun:test";
import type { Verdict } from "../../src/contract/guard/evaluate.ts";
import { sweep } from "../../src/server/sweep.ts";
import { makeGuard, makeGuardWithRules, makePolicy, type TestGuard } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";

const GATE = { name: "money", when: { field: "tool.name", op: "eq", value: "pay" }, action: "ask" };
const call = (amount: number, attributes: object = {}) => ({
  payload: {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "pay", arguments: { amount } },
  },
  protocol: "mcp",
  consumer_id: "ana",
  attributes,
});
const PAST = "2020-01-01T00:00:00.000Z";
const approvalIn = ({ findings }: Verdict): string => String(findings[0]?.evidence.approval_id);

describe.each(databaseKinds)("%s", (database) => {
  const kit = sharedKit({ database });
  const createAskGuard = async (): Promise<TestGuard> => makeGuard(await kit(), { gates: [GATE] });

  test("an ask verdict creates an approval, and approving it admits exactly that request", async () => {
    const shared = await kit();
    const guard = await createAskGuard();
    const first = await guard.evaluate(call(5));
    const approval_id = approvalIn(first);
    const again = await guard.evaluate(call(5));
    const decided = await shared.post(`/v1/approvals/${approval_id}/decide`, {
      decision: "approved",
    });

    const passed = await guard.evaluate(call(5, { approval_id }));
    const other = await guard.evaluate(call(6, { approval_id }));
    const elsewhere = await guard.evaluate(call(5, { approval_id, "source.application": "other" }));
    const somebody = await guard.evaluate({ ...call(5, { approval_id }), consumer_id: "bo" });

    expect(first.status).toBe("ask");
    expect(approvalIn(again)).toBe(approval_id);
    expect(await decided.json()).toMatchObject({
      status: "approved",
      asked_by: "money",
      tool: "pay",
    });
    expect(passed).toMatchObject({
      status: "report",
      findings: [{ evidence: { approved: true } }],
    });
    expect([other.status, somebody.status, elsewhere.status]).toEqual(["ask", "ask", "ask"]);
  });

  test("an approval expires, decided or not", async () => {
    const shared = await kit();
    const guard = await createAskGuard();
    const end = (id: string) =>
      shared.db.run("UPDATE approvals SET expires_at = $1 WHERE id = $2", PAST, id);
    const pending = approvalIn(await guard.evaluate(call(9)));
    await end(pending);
    const approval_id = approvalIn(await guard.evaluate(call(9)));
    await shared.post(`/v1/approvals/${approval_id}/decide`, { decision: "approved" });
    const before = await guard.evaluate(call(9, { approval_id }));
    await end(approval_id);

    expect(approval_id).not.toBe(pending);
    expect([before.status, (await guard.evaluate(call(9, { approval_id }))).status]).toEqual([
      "report",
      "ask",
    ]);
  });

  test("an approval applies only with its own id and under the policy that requested it", async () => {
    const shared = await kit();
    const guard = await createAskGuard();
    const approval_id = approvalIn(await guard.evaluate(call(5)));
    await shared.post(`/v1/approvals/${approval_id}/decide`, { decision: "approved" });
    const statusWith = async (id: string) =>
      (await guard.evaluate(call(5, { approval_id: id }))).status;

    const invented = await statusWith(crypto.randomUUID());
    const own = await statusWith(approval_id);
    const other = await makePolicy(shared, { gates: [GATE] });
    await shared.put(`/v1/collectors/${guard.collector.id}`, { default_policy_id: other.id });

    expect([invented, own, await statusWith(approval_id)]).toEqual(["ask", "report", "ask"]);
  });

  test("an ask gate applies to input only", async () => {
    const guard = await makeGuard(await kit(), { gates: [{ ...GATE, when: null }] });
    const payload = { input: "hello" };

    const into = await guard.evaluate({ payload, direction: "input" });
    const out = await guard.evaluate({ payload, direction: "output" });

    expect([into.status, out.status]).toEqual(["ask", "allow"]);
  });

  test("4.3.6 the Test tab returns ask and creates no approval", async () => {
    const shared = await kit();
    const { policy } = await createAskGuard();
    const before = await (await shared.get("/v1/approvals")).json();

    const tested = await (await shared.post(`/v1/policies/${policy.id}/test`, call(5))).json();

    expect(tested.status).toBe("ask");
    expect(tested.findings[0].evidence).not.toHaveProperty("approval_id");
    expect(await (await shared.get("/v1/approvals")).json()).toEqual(before);
  });

  test("an ask verdict includes the masked payload", async () => {
    const mask = { predefined_entities: [{ entity: "email", enabled: true }] };
    const masking = { name: "mask", when: null, action: "transform", mask };
    const guard = await makeGuard(await kit(), { gates: [masking, { ...GATE, when: null }] });

    const verdict = await guard.evaluate({ payload: { input: "Write to ana@example.com" } });

    expect(verdict).toMatchObject({
      status: "ask",
      transformed_payload: { input: "Write to [MASKED_EMAIL]" },
    });
  });

  test("an approval covers every number of the payload, and ignores the JSON-RPC id", async () => {
    const shared = await kit();
    const guard = await makeGuard(shared, { gates: [{ ...GATE, when: null }] });
    const chat = (args: string, more: object = {}) => ({
      messages: [
        {
          role: "assistant",
          tool_calls: [{ id: "1", function: { name: "pay", arguments: args } }],
        },
      ],
      ...more,
    });
    const approved = async (payload: object) => {
      const approval_id = approvalIn(await guard.evaluate({ payload }));
      await shared.post(`/v1/approvals/${approval_id}/decide`, { decision: "approved" });
      return async (sent: object) =>
        (await guard.evaluate({ payload: sent, attributes: { approval_id } })).status;
    };
    const again = await approved(chat('{"amount":5}'));
    const numbered = await approved(call(5).payload);

    expect(await again(chat('{"amount":5}'))).toBe("report");
    expect(await numbered({ ...call(5).payload, id: 2 })).toBe("report");
    expect(await again(chat('{"amount":5000}'))).toBe("ask");
    expect(await again(chat('{"amount":5}', { n: 1 }))).toBe("ask");
    const attachments = [{ data: "aGVsbG8=" }];
    expect(await again(chat('{"amount":5}', { attachments }))).toBe("ask");
  });

  test("simultaneous identical requests share one approval, for any tool name", async () => {
    const guard = await makeGuard(await kit(), { gates: [{ ...GATE, when: null }] });
    const params = { name: `pay\0${"y".repeat(1000)}`, arguments: {} };
    const body = { payload: { jsonrpc: "2.0", method: "tools/call", params }, protocol: "mcp" };

    const verdicts = await Promise.all(Array.from({ length: 10 }, () => guard.evaluate(body)));

    expect(new Set(verdicts.map(approvalIn)).size).toBe(1);
  });

  test("the first decision is final, a denied request is not admitted, and the collector can read the status", async () => {
    const shared = await kit();
    const guard = await createAskGuard();
    const approval_id = approvalIn(await guard.evaluate(call(7)));
    const place = `/v1/approvals/${approval_id}`;
    const look = () =>
      shared.call("GET", `/v1/evaluate/approvals/${approval_id}`, undefined, {
        authorization: `Bearer ${guard.key}`,
      });
    const pending = await (await look()).json();
    await shared.post(`${place}/decide`, { decision: "denied", note: "too much" });

    const second = await shared.post(`${place}/decide`, { decision: "approved" });
    const still = await guard.evaluate(call(7, { approval_id }));

    expect(pending).toMatchObject({ id: approval_id, status: "pending" });
    expect(second.status).toBe(409);
    expect(still.status).toBe("ask");
    expect(approvalIn(still)).not.toBe(approval_id);
    expect(await (await look()).json()).toMatchObject({ status: "denied" });
    const list = await (
      await shared.get(`/v1/approvals?status=denied&collector_id=${guard.collector.id}`)
    ).json();
    expect(list.items).toMatchObject([
      { id: approval_id, note: "too much", decided_by: expect.any(String) },
    ]);
    const { items } = await (await shared.get("/v1/audit?limit=5")).json();
    expect(items.map(({ action }: { action: string }) => action)).toContain("approval.denied");
  });

  test("an approver reads the masked content, and a viewer does not", async () => {
    const shared = await kit();
    const guard = await makeGuard(shared, { gates: [{ ...GATE, when: null }] });
    const input = "Pay 5 to ana@example.com";
    const approval_id = approvalIn(await guard.evaluate({ payload: { input } }));
    const readAs = async (role: string) => {
      const { token } = await shared.make<{ token: string }>("/v1/tokens", {
        name: `${role} ${database}`,
        role,
      });
      const headers = { authorization: `Bearer ${token}` };
      await Bun.sleep(300);
      const reply = await shared.call("GET", `/v1/approvals/${approval_id}`, undefined, headers);
      return (await reply.json()).content;
    };

    expect(await readAs("approver")).toMatchObject([
      { text: expect.stringMatching(/^Pay 5 to \[MASKED_EMAIL\]#\w{8}$/) },
    ]);
    expect(await readAs("viewer")).toBeNull();
  });

  test("an approver sees numbers and booleans of a tool call, masked, and Activity stores none for other calls", async () => {
    const shared = await kit();
    const guard = await makeGuard(shared, { gates: [{ ...GATE, when: null }] });
    const given = {
      to: "Ana",
      amount: 5.5,
      urgent: true,
      card: 4111111111111111,
      parts: [1, 2],
      on: null,
    };
    const chat = {
      model: "m",
      messages: [
        {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: "c",
              type: "function",
              function: { name: "pay", arguments: JSON.stringify(given) },
            },
          ],
        },
      ],
    };
    const mcp = {
      ...call(0),
      payload: { ...call(0).payload, params: { name: "pay", arguments: given } },
    };
    const contentOf = async (path: string) => {
      const { content } = await (await shared.get(path)).json();
      return Object.fromEntries(
        content.map(
          ({ pointer, inner, text }: { pointer: string; inner: string; text: string }) => [
            (inner ?? pointer).replace("/params/arguments", ""),
            text,
          ],
        ),
      );
    };
    const whole = {
      "/to": "Ana",
      "/amount": "5.5",
      "/urgent": "true",
      "/card": expect.stringMatching(/^\[MASKED_CC\]#\w{8}$/),
      "/parts/0": "1",
      "/parts/1": "2",
    };
    const asking = await guard.evaluate(mcp);
    const inChat = await guard.evaluate({ payload: chat, direction: "input", protocol: "llm" });
    const inText = await guard.evaluate({ payload: { input: JSON.stringify(given) } });
    const passing = await makeGuard(shared, {});
    const { request_id } = await passing.evaluate(mcp);
    await shared.get("/v1/activity");

    expect(await contentOf(`/v1/approvals/${approvalIn(asking)}`)).toMatchObject(whole);
    expect(await contentOf(`/v1/approvals/${approvalIn(inChat)}`)).toMatchObject(whole);
    expect(await contentOf(`/v1/approvals/${approvalIn(inText)}`)).toMatchObject(whole);
    const other = await contentOf(`/v1/activity/${request_id}`);
    expect(other).toMatchObject({ "/to": "Ana" });
    expect(other).not.toHaveProperty(["/amount"]);
  });

  test("a number whose member name is personal data is masked in any notation", async () => {
    const shared = await kit();
    const guard = await makeGuard(shared, { gates: [{ ...GATE, when: null }] });
    const given = { cvv: 123, phone: 612345678.5, card: -4111111111111111, amount: 5 };
    const verdict = await guard.evaluate({
      ...call(0),
      payload: { ...call(0).payload, params: { name: "pay", arguments: given } },
    });
    await shared.get("/v1/activity");

    const { content } = await (await shared.get(`/v1/approvals/${approvalIn(verdict)}`)).json();

    const texts = content.map(({ text }: { text: string }) => text.replace(/#\w{8}$/, ""));
    expect(texts.sort()).toEqual([
      "-[MASKED_CC]",
      "5",
      "[MASKED_CVV]",
      "[MASKED_PHONE_NUMBER]",
      "pay",
    ]);
  });

  test("an ask verdict about a number is the same in a replay, and values are not read as texts", async () => {
    const shared = await kit();
    const guard = await makeGuardWithRules(shared, "data_loss_prevention", {
      action: "ask",
      collector: { content_storage: "full" },
    });
    const given = { card: 4111111111111111, amount: 77 };
    await guard.evaluate({
      ...call(0),
      payload: { ...call(0).payload, params: { name: "pay", arguments: given } },
    });
    await shared.get("/v1/activity");
    const replayed = async (draft?: object) => {
      const collector_id = guard.collector.id;
      const path = `/v1/policies/${guard.policy.id}/replay`;
      return await (await shared.post(path, { draft, collector_id })).json();
    };
    const mask = { apply_all: false, rules: [{ name: "mine", type: "regex", pattern: "77" }] };
    const gates = [{ name: "mine", action: "transform", mask }];

    expect(await replayed()).toMatchObject({ evaluated: 1, changes: [] });
    expect(await replayed({ name: "draft", gates })).toMatchObject({
      transitions: { "ask→allow": 1 },
    });
  });

  test("an approval is kept for the retention of its collector, and erased with its consumer", async () => {
    const shared = await kit();
    const short = await makeGuard(shared, { gates: [GATE] }, { retention_days: 5 });
    const long = await makeGuard(shared, { gates: [GATE] }, { retention_days: 50 });
    const ids = [
      approvalIn(await short.evaluate(call(5))),
      approvalIn(await long.evaluate(call(5))),
      approvalIn(await long.evaluate({ ...call(5), consumer_id: "bo" })),
    ];
    const seen = () =>
      Promise.all(ids.map(async (id) => (await shared.get(`/v1/approvals/${id}`)).status));
    const in40Days = () => new Date(Date.now() + 40 * 86_400_000);

    await sweep(shared.deps);
    const today = await seen();
    await sweep({ ...shared.deps, now: in40Days });
    const later = await seen();
    await shared.post("/v1/activity/erase", { consumer_id: "bo" });

    expect([today, later, await seen()]).toEqual([
      [200, 200, 200],
      [404, 200, 200],
      [404, 200, 404],
    ]);
  });

  test("a collector cannot read the approval of another collector", async () => {
    const shared = await kit();
    const [mine, other] = [await createAskGuard(), await createAskGuard()];
    const approval_id = approvalIn(await mine.evaluate(call(8)));

    const reply = await shared.call("GET", `/v1/evaluate/approvals/${approval_id}`, undefined, {
      authorization: `Bearer ${other.key}`,
    });

    expect(reply.status).toBe(404);
    expect(Object.keys(await reply.json())).toEqual(["error", "trace_id", "request_id"]);
  });
});
