/** The list of requests shows why a request failed, includes rejected requests, and filters by status class. */
import { describe, expect, test } from "bun:test";
import { addConsumer, makeConsumer, UPSTREAM_KEY } from "../kit/dataplane.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import { createTestClock } from "../kit/test-clock.ts";
import { until } from "../kit/until.ts";
import type { Script } from "../kit/upstream.ts";

interface Event {
  id: string;
  key_id: string | null;
  user_id: string | null;
  status: number;
  error_code: string | null;
  error_message: string | null;
  upstream_error: string | null;
  attempts: { status: number | null; error: string | null; message: string | null }[];
}

const CHAT = "/v1/chat/completions";
const BODY = { model: "m", messages: [{ role: "user", content: "a planted prompt" }] };
const OPENAI_ERROR = {
  message: "No such model.",
  type: "invalid_request_error",
  code: "bad_model",
};

describe.each(databaseKinds)("%s", (database) => {
  const clock = createTestClock();
  const started = sharedKit({ database, now: clock.now });

  async function listEvents(gateway_id: string, query = ""): Promise<Event[]> {
    const reply = await (await started()).get(`/v1/gateways/${gateway_id}/requests${query}`);
    expect(reply.status).toBe(200);
    return ((await reply.json()) as { items: Event[] }).items;
  }

  /** Sends a request to an upstream with this response, and returns its event. */
  async function failWith(...scripts: Script[]): Promise<Event | undefined> {
    const attach = scripts.map(() => ({ provider: "openai" }));
    await using one = await startConsumer(await started(), attach, scripts);
    await (await one.post(CHAT, BODY)).text();
    let [event]: Event[] = [];
    await until(async () => {
      [event] = await listEvents(one.gateway.id);
      return event !== undefined;
    });
    return event;
  }

  test("a request keeps the message of the gateway's error", async () => {
    const one = await makeConsumer(await started(), [
      { provider: "openai", url: "http://[::1]:1" },
    ]);

    const reply = await one.post(CHAT, { ...BODY, model: "@groq/m" });
    const { error } = (await reply.json()) as { error: { message: string } };
    await until(async () => (await listEvents(one.gateway.id)).length === 1);

    const [event] = await listEvents(one.gateway.id);
    expect(event).toMatchObject({
      error_code: "model_not_allowed",
      error_message: error.message,
      upstream_error: null,
    });
  });

  test("a request keeps the user that its caller names, unless its key is invalid", async () => {
    const one = await makeConsumer(await started(), [
      { provider: "openai", url: "http://[::1]:1" },
    ]);
    const users = ["jane", "joe", "x".repeat(200), undefined];
    for (const user of users) {
      const headers = user === undefined ? {} : { "X-User-ID": user };
      await (await one.post(CHAT, { ...BODY, model: "@groq/m" }, headers)).text();
    }
    const headers = { "X-User-ID": "jane", "X-AG-API-Key": "invalid" };
    await (await one.post(CHAT, BODY, headers)).text();
    await until(async () => (await listEvents(one.gateway.id)).length === 5);

    const events = await listEvents(one.gateway.id);
    expect(events.map(({ user_id }) => user_id)).toEqual([
      null,
      null,
      "x".repeat(128),
      "joe",
      "jane",
    ]);
    expect(await listEvents(one.gateway.id, "?user_id=jane")).toEqual(events.slice(-1));
  });

  test("a request keeps the error of the upstream, and each attempt its own", async () => {
    const event = await failWith(
      { status: 503, body: "overloaded" },
      { status: 400, body: { error: OPENAI_ERROR } },
    );

    const text = "invalid_request_error bad_model: No such model.";
    expect(event).toMatchObject({ error_message: null, upstream_error: text });
    expect(event?.attempts).toMatchObject([
      { status: 503, message: "overloaded" },
      { status: 400, message: text },
    ]);
  });

  test("the attempt at an unreachable upstream keeps the error of the gateway", async () => {
    const one = await makeConsumer(await started(), [
      { provider: "openai", url: "http://127.0.0.1:1" },
    ]);

    await (await one.post(CHAT, BODY)).text();
    await until(async () => (await listEvents(one.gateway.id)).length === 1);

    const [event] = await listEvents(one.gateway.id);
    expect(event?.error_message).toBeString();
    expect(event?.attempts).toMatchObject([{ message: event?.error_message ?? "" }]);
  });

  test.each<[string, Script, string]>([
    [
      "is limited to 500 characters",
      { status: 400, body: { error: { message: "é".repeat(600) } } },
      "é".repeat(500),
    ],
    [
      "does not contain the key of the registry",
      { status: 401, body: { error: { message: `Wrong key ${UPSTREAM_KEY}.` } } },
      `Wrong key ${"*".repeat(UPSTREAM_KEY.length)}.`,
    ],
    [
      "does not contain a key that is split between two chunks",
      {
        status: 401,
        headers: { "content-type": "application/json" },
        chunks: [
          `{"error":"Wrong key ${UPSTREAM_KEY.slice(0, 9)}`,
          30,
          `${UPSTREAM_KEY.slice(9)}"}`,
        ],
      },
      `Wrong key ${"*".repeat(UPSTREAM_KEY.length)}`,
    ],
    [
      "is read from a Gemini error",
      {
        status: 400,
        body: [{ error: { code: 400, message: "Bad.", status: "INVALID_ARGUMENT" } }],
      },
      "INVALID_ARGUMENT 400: Bad.",
    ],
    [
      "contains no control characters",
      { status: 500, body: "a\u0000b\r\nc" },
      "a\ufffdb\ufffd\ufffdc",
    ],
  ])("the excerpt of an upstream error %s", async (_, script, excerpt) => {
    expect((await failWith(script))?.upstream_error).toBe(excerpt);
  });

  test("a successful response is never quoted", async () => {
    const event = await failWith({ body: { error: OPENAI_ERROR } });

    expect(event).toMatchObject({ status: 200, upstream_error: null });
    expect(event?.attempts).toMatchObject([{ message: null }]);
  });

  test("with a guard, only the members of a JSON error are kept", async () => {
    await using one = await makeGuardedConsumer(await started(), { name: `guard ${database}` });
    const eventAfter = async (body: object | string) => {
      one.upstream.script({ status: 400, body });
      const reply = await one.post(CHAT, BODY);
      await reply.text();
      return await one.event(reply.headers.get("x-ag-trace-id"));
    };

    const known = await eventAfter({ error: { ...OPENAI_ERROR, prompt: "planted" } });
    const unknown = await eventAfter({ detail: [{ input: "planted" }] });
    const plain = await eventAfter("planted");

    expect(known.upstream_error).toBe("invalid_request_error bad_model: No such model.");
    expect([unknown.upstream_error, plain.upstream_error]).toEqual([null, null]);
    expect(JSON.stringify([known, unknown, plain])).not.toContain("planted");
  });

  test("requests rejected for their key, consumer, gateway slug or method are listed, without the key", async () => {
    const kit = await started();
    const one = await makeConsumer(kit, []);
    const other = await addConsumer(kit, one.gateway, []);
    const send = (headers: Record<string, string>, method = "POST") =>
      fetch(`${one.url}${CHAT}`, { method, headers });

    await send({});
    await send({ "x-ag-api-key": "ag_planted_key" });
    await send({ "x-ag-api-key": other.key });
    await send({ "x-ag-api-key": one.key, "x-ag-gateway-slug": "elsewhere" });
    await send({ "x-ag-api-key": one.key }, "DELETE");
    await fetch(`${kit.url}/unknown-consumer${CHAT}`, { method: "POST" });
    const headers = { "x-ag-api-key": one.key };
    await fetch(`${kit.url}/unknown-consumer${CHAT}`, { method: "POST", headers });
    await until(async () => (await listEvents(one.gateway.id)).length >= 6);

    const events = (await listEvents(one.gateway.id)).reverse();
    expect(events.map(({ status, key_id }) => [status, key_id])).toEqual([
      [401, null],
      [401, null],
      [403, other.key_id],
      [404, one.key_id],
      [400, one.key_id],
      [404, one.key_id],
    ]);
    expect(events).toMatchObject([
      { consumer_id: one.id, error_code: "unauthorized", endpoint: "chat", attempts: [] },
      { error_message: "This key is unknown, expired or revoked." },
      {},
      {},
      { method: "DELETE" },
      {
        consumer_id: one.id,
        error_message: "Unknown consumer. Check the first part of the path.",
      },
    ]);
    expect(JSON.stringify(events)).not.toContain("planted");
  });

  test("of many rejected requests, 20 per minute are listed, and all are counted", async () => {
    const kit = await started();
    const one = await makeConsumer(kit, []);
    const send = () => fetch(`${one.url}${CHAT}`, { method: "POST" });

    // The start of a minute.
    clock.advance(60_000 - (clock.now().getTime() % 60_000));
    for (const ms of [0, 5_000, 5_000]) {
      clock.advance(ms);
      await Promise.all(Array.from({ length: 20 }, send));
    }
    const countRequests = async () => {
      const reply = await kit.get(`/v1/gateways/${one.gateway.id}/statistics`);
      return ((await reply.json()) as { totals: { requests: number } }).totals.requests;
    };
    await until(async () => (await countRequests()) === 60);
    await until(async () => (await listEvents(one.gateway.id)).length === 20);

    clock.advance(60_000);
    await send();
    await until(async () => (await listEvents(one.gateway.id)).length > 20);
    expect((await listEvents(one.gateway.id)).length).toBe(21);
  });

  test("the list is filtered by status class, errors and key", async () => {
    const script: Script = (_, count) => ({ status: [200, 404, 503][count - 1] ?? 200, body: {} });
    await using one = await startConsumer(await started(), [{ provider: "openai" }], [script]);
    for (const _ of [1, 2, 3]) await (await one.post(CHAT, BODY)).text();
    await fetch(`${one.url}${CHAT}`, { method: "POST" });
    await until(async () => (await listEvents(one.gateway.id)).length === 4);
    const statuses = async (query: string) =>
      (await listEvents(one.gateway.id, query)).map(({ status }) => status);

    expect(await statuses("?status_class=errors")).toEqual([401, 503, 404]);
    expect(await statuses("?status_class=4xx")).toEqual([401, 404]);
    expect(await statuses("?status_class=5xx")).toEqual([503]);
    expect(await statuses("?status_class=2xx")).toEqual([200]);
    expect(await statuses(`?status_class=4xx&key_id=${one.key_id}`)).toEqual([404]);
    expect(await statuses("?status_class=errors&limit=1")).toEqual([401]);
    const refused = await (await started()).get(
      `/v1/gateways/${one.gateway.id}/requests?status_class=9xx`,
    );
    expect(refused.status).toBe(422);
  });
});
