/** Tool calls under a gateway's guard: judged before they leave, and their results before they are told. */
import { describe, expect, test } from "bun:test";
import { type Draft, makeDetector, makeGuard } from "../kit/guard.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { databaseKinds } from "../kit/services.ts";

const MAIL = "jane.doe@example.com";

async function guarded(kit: Kit, policy: Draft) {
  const server = startMcpServer({
    tools: [
      { name: "send" },
      { name: "pay" },
      {
        name: "look",
        answer: async (_, tell) => {
          await tell({ progress: 1, message: `Reading ${MAIL}` });
          return `Mail ${MAIL}`;
        },
      },
    ],
  });
  const store = await makeMcpStore(kit);
  const { code } = await store.serve("Office", server.url);
  await store.install("alice", code);
  const guard = await makeGuard(kit, policy);
  const saved = await kit.put(store.path, { guard: { collector_id: guard.collector.id } });
  expect(await saved.json()).toMatchObject({ guard: { collector_id: guard.collector.id } });
  const client = await store.client("alice");
  return {
    ...guard,
    server,
    store,
    client,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const onTool = (name: string, action: string) => ({
  name: `no ${name}`,
  when: { field: "tool.name", op: "eq", value: name },
  action,
});

describe.each(databaseKinds)("on %s", (database) => {
  const kitOf = sharedKit({ database, settings: { ACTIVITY_COMMIT: "before" } });

  test("a blocked call never leaves, and the refusal names the gate", async () => {
    await using it = await guarded(await kitOf(), { gates: [onTool("pay", "block")] });

    const answer = await it.client.call("office__pay", { amount: 5 });

    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("no pay") });
    expect(it.server.calls).toEqual([]);
    expect(await it.client.call("office__send")).toMatchObject({ isError: false });
  });

  test("rewritten arguments are what leaves, a rewritten result is what is told", async () => {
    const kit = await kitOf();
    const { id } = await makeDetector(kit, "data_loss_prevention");
    const rules = [{ detector_id: id, action: "transform" }];
    await using it = await guarded(kit, { input_rules: rules, output_rules: rules });

    await it.client.call("office__send", { to: MAIL, deep: [{ cc: MAIL }], amount: 5 });
    const told = await it.client.call("office__look");

    expect(JSON.stringify(it.server.calls[0]?.args)).not.toContain(MAIL);
    expect(it.server.calls[0]?.args).toMatchObject({ amount: 5, deep: [{}] });
    expect(told.isError).toBe(false);
    expect(told.text).toStartWith('"Mail ');
    expect(told.text).not.toContain(MAIL);
  });

  test("a blocked result is not told", async () => {
    const kit = await kitOf();
    const { id } = await makeDetector(kit, "data_loss_prevention");
    await using it = await guarded(kit, { output_rules: [{ detector_id: id, action: "block" }] });

    const answer = await it.client.call("office__look");

    expect(answer.isError).toBe(true);
    expect(JSON.stringify(answer)).not.toContain(MAIL);
    expect(it.server.calls).toHaveLength(1);
  });

  test("of progress only numbers are told: nobody has judged its words", async () => {
    await using it = await guarded(await kitOf(), {});
    const heard: unknown[] = [];

    await it.client.call("office__look", {}, { onprogress: (progress) => heard.push(progress) });

    expect(heard).toEqual([{ progress: 1 }]);
  });

  test("a call that must be asked for waits for its approval, and only that call passes", async () => {
    const kit = await kitOf();
    await using it = await guarded(kit, { gates: [onTool("pay", "ask")] });
    const asked = await it.client.call("office__pay", { amount: 5 });
    const again = await it.client.call("office__pay", { amount: 5 });
    const { approval_id } = asked.structured;
    expect(asked).toMatchObject({ isError: true, text: expect.stringContaining(`${approval_id}`) });
    expect(again.structured.approval_id).toBe(approval_id);

    await kit.post(`/v1/approvals/${approval_id}/decide`, { decision: "approved" });

    expect(await it.client.call("office__pay", { amount: 5 })).toMatchObject({ isError: false });
    expect(await it.client.call("office__pay", { amount: 6 })).toMatchObject({ isError: true });
    expect(it.server.calls).toMatchObject([{ args: { amount: 5 } }]);
  });

  test("both halves of a call are in Activity, with who, which tool and which server", async () => {
    const kit = await kitOf();
    await using it = await guarded(kit, { gates: [onTool("pay", "report")] });
    await it.client.call("office__pay", { amount: 5 });

    const reply = await kit.get(`/v1/activity?collector_id=${it.collector.id}`);
    const { items } = (await reply.json()) as { items: Record<string, unknown>[] };

    expect(items).toHaveLength(2);
    expect(items.map(({ direction }) => direction).sort()).toEqual(["input", "output"]);
    expect(items[0]).toMatchObject({ protocol: "mcp", consumer_id: "alice" });
    expect(items[0]?.session_id).toBe(items[1]?.session_id ?? "none");
  });

  test("a collector that is not there or another gateway's is refused, one in use stays", async () => {
    const kit = await kitOf();
    await using it = await guarded(kit, {});
    const other = await kit.make("/v1/gateways", { name: `other ${crypto.randomUUID()}` });
    const set = (collector_id: string) =>
      kit.put(`/v1/gateways/${other.id}`, { guard: { collector_id } });
    const own = await makeGuard(kit, {}, { gateway_id: it.store.gateway.id });

    expect((await set(crypto.randomUUID())).status).toBe(422);
    expect((await set(own.collector.id)).status).toBe(422);
    expect((await kit.delete(`/v1/collectors/${it.collector.id}`)).status).toBe(409);
    await kit.put(it.store.path, { guard: { collector_id: null } });
    expect((await kit.delete(`/v1/collectors/${it.collector.id}`)).status).toBe(204);
  });
});
