/** The live stream reports changed lists to those who may read them, from every node. */
import { afterAll, expect, test } from "bun:test";
import { readSseEvents } from "../../src/lib/http/read-sse-events.ts";
import { makeGuard } from "../kit/guard.ts";
import { OWNER_TOKEN, startKit } from "../kit/kit.ts";
import { twoNodes } from "../kit/two-nodes.ts";
import { until } from "../kit/until.ts";

const nodes = await twoNodes("postgres");
afterAll(() => nodes[Symbol.asyncDispose]());
const { one, other } = nodes;
const guard = await makeGuard(one, {});

/** Opens a stream on the second node; `heard` grows with the topics that it reports. */
async function listen(query: string, headers: Record<string, string>) {
  const leaving = new AbortController();
  const response = await fetch(`${other.url}/v1/live${query}`, {
    headers,
    signal: leaving.signal,
  });
  const heard: string[] = [];
  const state = { ended: "" };
  const read = async () => {
    if (!response.ok || !response.body) return;
    for await (const { type, data } of readSseEvents(response.body, () => new Error("invalid"))) {
      if (type === "end") state.ended = JSON.parse(data).error;
      else heard.push(...JSON.parse(data).topics);
    }
  };
  const done = read().catch(() => {});
  const leave = async () => {
    leaving.abort();
    await done;
  };
  return { status: response.status, headers: response.headers, heard, state, leave, done };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A gateway with a consumer of the demo upstream. */
async function makeGateway(name: string) {
  const gateway = await one.make("/v1/gateways", { name });
  const path = `/v1/gateways/${gateway.id}`;
  const registry = await one.make(`${path}/registries`, { name: "r", provider: "demo" });
  const consumer = await one.make<{ id: string; slug: string }>(`${path}/consumers`, {
    name: "c",
    registries: [{ id: registry.id }],
  });
  const { key } = await one.make<{ key: string }>(`${path}/consumers/${consumer.id}/keys`, {
    name: "k",
  });
  const chat = async () => {
    const response = await fetch(`${one.url}/${consumer.slug}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-ag-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "hi" }] }),
    });
    expect(response.status).toBe(200);
    await response.text();
  };
  await until(() => other.deps.snapshot().gateways.has(gateway.id));
  return { id: gateway.id, chat };
}

const mine = await makeGateway("mine");
const theirs = await makeGateway("theirs");

async function makeToken(fields: object): Promise<{ id: string; token: string }> {
  const made = await one.make<{ id: string; token: string }>("/v1/tokens", {
    name: `t ${Math.random()}`,
    role: "viewer",
    ...fields,
  });
  await until(
    async () => (await fetch(`${other.url}/v1/whoami`, { headers: bearer(made.token) })).ok,
  );
  return made;
}

test("requests and evaluations of one node are reported by another one", async () => {
  const stream = await listen(`?gateway_id=${mine.id}`, bearer(OWNER_TOKEN));
  expect(stream.headers.get("content-type")).toBe("text/event-stream");

  await mine.chat();
  await guard.evaluate({ payload: { prompt: "hello" } });
  await until(() => stream.heard.includes("requests") && stream.heard.includes("evaluations"));

  await stream.leave();
  expect(stream.heard).not.toContain("approvals");
});

test("a token for some gateways gets only notices of its gateway", async () => {
  const { token } = await makeToken({ gateway_ids: [mine.id] });
  const limited = await listen(`?gateway_id=${mine.id}`, bearer(token));
  const unlimited = await listen(`?gateway_id=${theirs.id}`, bearer(OWNER_TOKEN));
  const rejected = [
    await listen("", bearer(token)),
    await listen(`?gateway_id=${theirs.id}`, bearer(token)),
    await listen("?gateway_id=00000000-0000-7000-8000-000000000000", bearer(OWNER_TOKEN)),
    await listen("", {}),
  ];
  expect(rejected.map(({ status }) => status)).toEqual([403, 403, 404, 401]);

  await theirs.chat();
  await guard.evaluate({ payload: { prompt: "hello" } });
  await until(
    () => unlimited.heard.includes("requests") && unlimited.heard.includes("evaluations"),
  );
  await mine.chat();
  await until(() => limited.heard.length > 0);

  await Promise.all([limited.leave(), unlimited.leave()]);
  expect(limited.heard).toEqual(["requests"]);
});

test("the stream ends when its token is revoked, and when its session ends", async () => {
  const { id, token } = await makeToken({});
  const signedIn = await fetch(`${other.url}/v1/session`, {
    method: "POST",
    body: JSON.stringify({ token: OWNER_TOKEN }),
  });
  const cookie = /^[^;]+/.exec(signedIn.headers.get("set-cookie") ?? "")?.[0] ?? "";
  const byToken = await listen("", bearer(token));
  const bySession = await listen("", { cookie });

  await one.delete(`/v1/tokens/${id}`);
  await fetch(`${other.url}/v1/session`, {
    method: "DELETE",
    headers: { cookie, "x-portcullis-csrf": "1" },
  });
  await Promise.all([byToken.done, bySession.done]);

  expect([byToken.state.ended, bySession.state.ended]).toEqual(["unauthorized", "unauthorized"]);
});

test("an open stream does not delay the stop of its node", async () => {
  const node = await startKit({ settings: { SHUTDOWN_TIMEOUT_S: "60" } });
  const response = await fetch(`${node.url}/v1/live`, { headers: bearer(OWNER_TOKEN) });
  const text = response.text();

  await node[Symbol.asyncDispose]();

  expect(await text).toContain('"error":"shutting_down"');
});

test("a token opens at most 50 streams on a node, and another token is not affected", async () => {
  const { token } = await makeToken({});
  const streams: Awaited<ReturnType<typeof listen>>[] = [];
  for (let index = 0; index < 51; index += 1) streams.push(await listen("", bearer(token)));
  const owner = await listen("", bearer(OWNER_TOKEN));

  expect(streams.map(({ status }) => status)).toEqual([...Array(50).fill(200), 429]);
  expect(owner.status).toBe(200);
  await Promise.all([...streams, owner].map(({ leave }) => leave()));
}, 20_000);
