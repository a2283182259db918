/** Requests of a guarded consumer that need an approval: rejected, held, or passed. */
import { describe, expect, test } from "bun:test";
import { type FormPart, UPSTREAM_KEY } from "../kit/dataplane.ts";
import { makeDetector } from "../kit/guard.ts";
import { type GuardedConsumer, makeGuardedConsumer } from "../kit/inline-guard.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";
import { until } from "../kit/until.ts";

const CHAT = "/v1/chat/completions";
const MAIL = "jane.doe@example.com";
const chat = (content: string) => ({ model: "m", messages: [{ role: "user", content }] });
const ASK = {
  name: "careful",
  when: { field: "model.name", op: "eq", value: "m" },
  action: "ask",
};
const ASK_ALWAYS = { ...ASK, when: { field: "protocol", op: "eq", value: "llm" } };

describe.each(databaseKinds)("on %s", (database) => {
  const kitOf = sharedKit({ database, settings: { ACTIVITY_COMMIT: "before" } });

  /** Asks for every request, and masks personal data of those that pass. */
  async function makeAsking(kit: Kit, guard: object): Promise<GuardedConsumer> {
    const { id } = await makeDetector(kit, "data_loss_prevention");
    const input_rules = [{ detector_id: id, action: "transform" }];
    return await makeGuardedConsumer(kit, { gates: [ASK], input_rules }, { guard: { ...guard } });
  }

  const pendingOf = async (kit: Kit, { collector }: GuardedConsumer) => {
    const list = await kit.get(`/v1/approvals?status=pending&collector_id=${collector.id}`);
    return ((await list.json()) as { items: { id: string }[] }).items.map(({ id }) => id);
  };
  const decide = (kit: Kit, id: string | undefined, decision: string) =>
    kit.post(`/v1/approvals/${id}/decide`, { decision });

  test("a request that needs approval is rejected with a link, and passes once approved", async () => {
    const kit = await kitOf();
    await using it = await makeAsking(kit, {});
    const body = chat(`Write to ${MAIL}`);

    const refused = await it.post(CHAT, body);
    const { error } = (await refused.json()) as { error: Record<string, string> };
    const [approval_id] = await pendingOf(kit, it);
    await decide(kit, approval_id, "approved");
    const passed = await it.post(CHAT, body);
    const other = await it.post(CHAT, chat("Something else"));

    expect(refused.status).toBe(403);
    expect(refused.headers.get("x-ag-guard")).toBe("ask");
    const approval_url = `${kit.url}/console/approvals?open=${approval_id}`;
    expect(error).toMatchObject({ code: "guard_blocked", approval_id, approval_url });
    expect(error.message).toContain(approval_url);
    expect(passed.status).toBe(200);
    expect(passed.headers.get("x-ag-guard")).toBe("transform");
    expect(other.status).toBe(403);
    expect(it.upstream.hits.map(({ body: sent }) => sent.includes(MAIL))).toEqual([false]);
  });

  test("a request with an invalid host that needs approval is rejected with a link", async () => {
    await using it = await makeAsking(await kitOf(), {});

    const refused = await it.post(CHAT, chat("Hello"), { host: "[::" });

    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("/console/approvals?open=");
  });

  test("an approval covers the endpoint and the object in its path, which the approver sees", async () => {
    const kit = await kitOf();
    await using it = await makeGuardedConsumer(kit, { gates: [ASK_ALWAYS] });
    const scan = { model: "m", input: "Delete all files" };
    const items = { items: [{ type: "message", role: "user", content: "Hello" }] };
    const approve = async () => {
      const [id] = await pendingOf(kit, it);
      const { content } = await (await kit.get(`/v1/approvals/${id}`)).json();
      await decide(kit, id, "approved");
      return content;
    };

    await it.post("/v1/moderations?trial=1", scan);
    const shown = await approve();
    const requests: [string, object][] = [
      ["/v1/moderations", scan],
      ["/v1/responses", scan],
      ["/v1/moderations?trial=1", scan],
    ];
    const statuses: number[] = [];
    for (const [path, body] of requests) statuses.push((await it.post(path, body)).status);
    for (const id of await pendingOf(kit, it)) await decide(kit, id, "denied");
    await it.post("/v1/conversations/conv_a/items", items);
    await approve();
    const other = await it.post("/v1/conversations/conv_b/items", items);

    expect(shown).toContainEqual(
      expect.objectContaining({
        pointer: "/request/endpoint",
        text: "POST /v1/moderations?trial=1",
      }),
    );
    expect(statuses).toEqual([403, 403, 200]);
    expect(other.status).toBe(403);
    expect(it.upstream.hits).toHaveLength(1);
  });

  test("an approval covers the registry that a request is pinned to, which the approver sees", async () => {
    const kit = await kitOf();
    await using it = await makeAsking(kit, {});
    const [{ name } = { name: "" }] = it.registries;
    const other = await kit.make<{ id: string }>(`/v1/gateways/${it.gateway.id}/registries`, {
      name: "Other",
      provider: "openai",
      provider_options: { base_url: it.upstream.url },
      auth: { type: "api_key", api_key: UPSTREAM_KEY },
      allow_private: true,
    });
    const registries = [...it.registries, other].map(({ id }) => ({ id }));
    await kit.put(it.path, { registries });
    const send = async (pin: string) =>
      (await it.post(CHAT, chat("Hello"), { "x-ag-pin": pin })).status;

    await send(name);
    const [id] = await pendingOf(kit, it);
    const { content } = await (await kit.get(`/v1/approvals/${id}`)).json();
    await decide(kit, id, "approved");

    expect([await send("Other"), await send(name)]).toEqual([403, 200]);
    expect(content).toContainEqual(
      expect.objectContaining({ pointer: "/request/pin", text: name }),
    );
  });

  test.each([
    ["openai", CHAT, "openai-beta"],
    ["anthropic", "/v1/messages", "anthropic-beta"],
  ])(
    "with %s an approval covers the client headers that are forwarded, which the approver sees",
    async (provider, path, header) => {
      const kit = await kitOf();
      await using it = await makeGuardedConsumer(
        kit,
        { gates: [ASK_ALWAYS] },
        { attach: { provider } },
      );
      const send = async (value: string | undefined, more = {}) => {
        const headers = { ...more, ...(value && { [header]: value }) };
        return (await it.post(path, { ...chat("Hello"), max_tokens: 9 }, headers)).status;
      };

      await send("files-api");
      const [id] = await pendingOf(kit, it);
      const { content } = await (await kit.get(`/v1/approvals/${id}`)).json();
      await decide(kit, id, "approved");

      expect([await send(undefined), await send("code-execution")]).toEqual([403, 403]);
      expect(await send("files-api", { "user-agent": "another", accept: "*/*" })).toBe(200);
      expect(content).toContainEqual(
        expect.objectContaining({ pointer: `/request/headers/${header}`, text: "files-api" }),
      );
    },
  );

  test("an approval covers the files of a form, which the approver sees", async () => {
    const kit = await kitOf();
    await using it = await makeGuardedConsumer(kit, { gates: [ASK_ALWAYS] });
    const edit = async (field: string, pixels: string) => {
      const file: FormPart = [field, pixels, "a.png"];
      const parts: FormPart[] = [["model", "m"], ["prompt", "In red"], file];
      return (await it.form("/v1/images/edits", parts)).status;
    };

    await edit("image", "a cat");
    const [id] = await pendingOf(kit, it);
    const { content } = await (await kit.get(`/v1/approvals/${id}`)).json();
    await decide(kit, id, "approved");
    const statuses = [
      await edit("image", "a dog"),
      await edit("mask", "a cat"),
      await edit("image", "a cat"),
    ];

    expect(content).toContainEqual(
      expect.objectContaining({
        pointer: "/request/files/0",
        text: expect.stringMatching(/^image, filename="a.png", .*, SHA-256 [0-9a-f]{64}$/),
      }),
    );
    expect(statuses).toEqual([403, 403, 200]);
  });

  test("on /v1/messages the approval is in the error of the Anthropic format", async () => {
    const kit = await kitOf();
    const attach = { provider: "anthropic" };
    await using it = await makeGuardedConsumer(kit, { gates: [ASK] }, { attach });

    const reply = await it.post("/v1/messages", { ...chat("Hello"), max_tokens: 9 });

    const [approval_id] = await pendingOf(kit, it);
    expect(await reply.json()).toMatchObject({ type: "error", error: { approval_id } });
  });

  test("with on_ask wait a request is held until it is approved, and is then masked", async () => {
    const kit = await kitOf();
    await using it = await makeAsking(kit, { on_ask: "wait", wait_s: 60 });

    const waiting = it.post(CHAT, chat(`Write to ${MAIL}`));
    await until(async () => (await pendingOf(kit, it)).length === 1);
    expect(it.upstream.hits).toEqual([]);
    await decide(kit, (await pendingOf(kit, it))[0], "approved");

    const reply = await waiting;
    expect(reply.status).toBe(200);
    expect(reply.headers.get("x-ag-guard")).toBe("transform");
    expect(it.upstream.hits.map(({ body: sent }) => sent.includes(MAIL))).toEqual([false]);
  });

  test("one approval releases every held request with the same content", async () => {
    const kit = await kitOf();
    await using it = await makeAsking(kit, { on_ask: "wait", wait_s: 60 });

    const waiting = [it.post(CHAT, chat("Hello")), it.post(CHAT, chat("Hello"))];
    const inputs = `/v1/activity?status=ask&collector_id=${it.collector.id}`;
    await until(async () => (await (await kit.get(inputs)).json()).items.length === 2);
    const pending = await pendingOf(kit, it);
    await decide(kit, pending[0], "approved");

    const replies = await Promise.all(waiting);
    expect(pending).toHaveLength(1);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  });

  test("a held request that is denied is rejected", async () => {
    const kit = await kitOf();
    await using it = await makeAsking(kit, { on_ask: "wait", wait_s: 60 });

    const waiting = it.post(CHAT, chat("Hello"));
    await until(async () => (await pendingOf(kit, it)).length === 1);
    await decide(kit, (await pendingOf(kit, it))[0], "denied");

    const reply = await waiting;
    expect(reply.status).toBe(403);
    expect(await reply.json()).toMatchObject({
      error: { code: "guard_blocked", message: expect.stringContaining("denied") },
    });
    expect(it.upstream.hits).toEqual([]);
  });

  test("a held request without a decision is rejected with the link after wait_s", async () => {
    const kit = await kitOf();
    await using it = await makeAsking(kit, { on_ask: "wait", wait_s: 1 });

    const reply = await it.post(CHAT, chat("Hello"));

    const [approval_id] = await pendingOf(kit, it);
    expect(reply.status).toBe(403);
    expect(await reply.json()).toMatchObject({ error: { code: "guard_blocked", approval_id } });
    expect(it.upstream.hits).toEqual([]);
  });

  test("a client that disconnects ends its wait", async () => {
    const kit = await kitOf();
    await using it = await makeAsking(kit, { on_ask: "wait", wait_s: 300 });
    const abort = new AbortController();
    const headers = { "content-type": "application/json", traceparent: `00-${TRACE}-${SPAN}-01` };
    const body = JSON.stringify(chat("Hello"));

    const waiting = it.call(CHAT, { method: "POST", headers, body, signal: abort.signal });
    await until(async () => (await pendingOf(kit, it)).length === 1);
    abort.abort();

    await expect(waiting).rejects.toThrow();
    expect(await it.event(TRACE)).toMatchObject({ status: 499, error_code: "client_closed" });
  });

  test("with on_ask allow a request passes, is masked, and its finding is reported", async () => {
    const kit = await kitOf();
    await using it = await makeAsking(kit, { on_ask: "allow" });

    const reply = await it.post(CHAT, chat(`Write to ${MAIL}`));

    expect(reply.status).toBe(200);
    expect(reply.headers.get("x-ag-guard")).toBe("transform");
    expect(it.upstream.hits.map(({ body: sent }) => sent.includes(MAIL))).toEqual([false]);
    expect(await pendingOf(kit, it)).toEqual([]);
    const [input] = await it.evaluations(reply.headers.get("x-ag-trace-id"));
    expect(input).toMatchObject({ findings: [{ evidence: { would_be: "ask" } }, {}] });
  });
});

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
