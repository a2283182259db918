/** Data-plane access: consumer, key and gateway slug, and the order of the checks (spec 5.1). */

import { describe, expect, test } from "bun:test";
import { addConsumer, type Consumer, makeConsumer, UPSTREAM_KEY } from "../kit/dataplane.ts";
import { OWNER_TOKEN, sharedKit, startKit } from "../kit/kit.ts";
import { createTestClock } from "../kit/test-clock.ts";
import { startUpstream } from "../kit/upstream.ts";

const clock = createTestClock();
const kit = sharedKit({ now: clock.now });
const CHAT = "/v1/chat/completions";
const HELLO = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }] };

async function setUp() {
  const upstream = startUpstream({ body: { id: "chatcmpl-1" } });
  const url = `${upstream.url}/v1`;
  const consumer = await makeConsumer(await kit(), [{ provider: "openai", url }]);
  return { ...consumer, upstream, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() };
}

const errorOf = async (reply: Response) =>
  ((await reply.json()) as { error: { code: string; message: string; type: string } }).error;

test("1.1 a request to /{consumer}/v1 with the gateway slug reaches the upstream once", async () => {
  await using one = await setUp();

  const reply = await one.post(CHAT, HELLO, { "x-ag-gateway-slug": one.gateway.slug });

  expect(reply.status).toBe(200);
  expect(await reply.json()).toEqual({ id: "chatcmpl-1" });
  expect(one.upstream.hits.length).toBe(1);
});

test("case and whitespace around the gateway's slug are ignored", async () => {
  await using one = await setUp();
  const slug = `  ${one.gateway.slug.toUpperCase()} `;

  const reply = await one.post(CHAT, HELLO, { "x-ag-gateway-slug": slug });

  expect(reply.status).toBe(200);
});

test.each([
  ["a malformed gateway slug is a 400", "bad_slug!", 400, "invalid_request"],
  ["an unknown gateway slug is a 404", "no-such-gateway", 404, "not_found"],
])("%s", async (_, slug, status, code) => {
  await using one = await setUp();

  const reply = await one.post(CHAT, HELLO, { "x-ag-gateway-slug": slug });

  expect(reply.status).toBe(status);
  expect((await errorOf(reply)).code).toBe(code);
  expect(one.upstream.hits.length).toBe(0);
});

test("a private data plane requires the gateway's slug", async () => {
  await using own = await startKit({ settings: { PRIVATE_DATA_PLANE: "true" } });
  await using upstream = startUpstream();
  const one = await makeConsumer(own, [{ provider: "openai", url: `${upstream.url}/v1` }]);

  const without = await one.post(CHAT, HELLO);
  const with_ = await one.post(CHAT, HELLO, { "x-ag-gateway-slug": one.gateway.slug });

  expect(without.status).toBe(400);
  expect(with_.status).toBe(200);
});

test("7.1 a missing key is a 401 in the OpenAI error shape, with a trace id", async () => {
  await using one = await setUp();

  const reply = await fetch(`${one.url}${CHAT}`, { method: "POST", body: "{}" });

  expect(reply.status).toBe(401);
  const trace_id = reply.headers.get("x-ag-trace-id") ?? "";
  expect(trace_id).toMatch(/^[0-9a-f]{32}$/);
  expect(await reply.json()).toEqual({
    error: {
      message: "Send a consumer key in the header X-AG-API-Key.",
      type: "authentication_error",
      code: "unauthorized",
      param: null,
    },
    trace_id,
  });
});

test("an unknown key is a 401", async () => {
  await using one = await setUp();

  const reply = await one.post(CHAT, HELLO, { "x-ag-api-key": `ag_${"x".repeat(43)}` });

  expect(reply.status).toBe(401);
  expect(one.upstream.hits.length).toBe(0);
});

test("the key of another consumer of the gateway is a 403", async () => {
  await using one = await setUp();
  const other = await addConsumer(await kit(), one.gateway, []);

  const reply = await one.post(CHAT, HELLO, { "x-ag-api-key": other.key });

  expect(reply.status).toBe(403);
  expect((await errorOf(reply)).code).toBe("forbidden");
});

test("the key of another gateway is a 401", async () => {
  await using one = await setUp();
  const other = await makeConsumer(await kit(), []);

  const reply = await one.post(CHAT, HELLO, { "x-ag-api-key": other.key });

  expect(reply.status).toBe(401);
});

test.each([
  ["x-ag-api-key", (key: string) => key],
  ["x-api-key", (key: string) => key],
  ["authorization", (key: string) => `Bearer ${key}`],
])(
  "5.1 a key in %s is accepted, and the upstream receives only the registry's credential",
  async (name, value) => {
    await using one = await setUp();

    const reply = await fetch(`${one.url}${CHAT}`, {
      method: "POST",
      headers: { [name]: value(one.key), cookie: "a=b", "x-forwarded-for": "10.1.1.1" },
      body: JSON.stringify(HELLO),
    });

    expect(reply.status).toBe(200);
    const headers = one.upstream.hits[0]?.headers ?? {};
    expect(headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
    expect(JSON.stringify(headers)).not.toContain(one.key);
    expect(Object.keys(headers).sort()).toEqual(
      ["accept", "accept-encoding", "authorization", "content-length"].concat([
        "content-type",
        "host",
        "user-agent",
      ]),
    );
  },
);

test("an unknown consumer is a 404 with a good key, a bad one and none", async () => {
  await using one = await setUp();
  const url = `${(await kit()).url}/unknown-consumer${CHAT}`;

  const replies = await Promise.all([
    fetch(url, { method: "POST", headers: { "x-ag-api-key": one.key } }),
    fetch(url, { method: "POST", headers: { "x-ag-api-key": "ag_wrong" } }),
    fetch(url, { method: "POST" }),
  ]);

  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
});

test("an unknown path of a known consumer is a 404 before the key is checked", async () => {
  await using one = await setUp();

  const reply = await fetch(`${one.url}/v1/foo`, { method: "POST" });

  expect(reply.status).toBe(404);
  expect((await errorOf(reply)).code).toBe("not_found");
});

test("an inactive consumer is a 404", async () => {
  await using one = await setUp();
  const put = await (await kit()).put(one.path, { active: false });

  const reply = await one.post(CHAT, HELLO);

  expect(put.status).toBe(200);
  expect(reply.status).toBe(404);
});

test("trailing slashes are ignored", async () => {
  await using one = await setUp();

  const reply = await one.post(`${CHAT}//`, HELLO);

  expect(reply.status).toBe(200);
  expect(one.upstream.hits[0]?.path).toBe("/v1/chat/completions");
});

test("a consumer without registries is a 503", async () => {
  const one = await makeConsumer(await kit(), []);

  const reply = await one.post(CHAT, HELLO);

  expect(reply.status).toBe(503);
  expect((await errorOf(reply)).code).toBe("no_backend_available");
});

test.each([["{not json"], ['{"model":"x","messages":['], ["\u0000\u0001\u0002"], [""], ["[1]"]])(
  "the body %j is a 400 without details of a parser",
  async (body) => {
    await using one = await setUp();

    const reply = await one.post(CHAT, body);

    expect(reply.status).toBe(400);
    const error = await errorOf(reply);
    expect(error).toMatchObject({ code: "invalid_request", type: "invalid_request_error" });
    expect(error.message).toStartWith("The body is not ");
    expect(one.upstream.hits.length).toBe(0);
  },
);

test("an upstream's error is relayed unchanged, after one call", async () => {
  await using one = await setUp();
  one.upstream.script({
    status: 422,
    headers: { "content-type": "application/problem+json" },
    body: '{"detail": "nope" }',
  });

  const reply = await one.post(CHAT, HELLO);

  expect(reply.status).toBe(422);
  expect(reply.headers.get("content-type")).toBe("application/problem+json");
  expect(await reply.text()).toBe('{"detail": "nope" }');
  expect(one.upstream.hits.length).toBe(1);
});

test("a 429 with no other candidate is relayed with its Retry-After", async () => {
  await using one = await setUp();
  one.upstream.script({ status: 429, headers: { "retry-after": "7" }, body: { error: {} } });

  const reply = await one.post(CHAT, HELLO);

  expect(reply.status).toBe(429);
  expect(reply.headers.get("retry-after")).toBe("7");
  expect(one.upstream.hits.length).toBe(1);
});

test("a response has headers for its trace, registry, provider and model", async () => {
  await using one = await setUp();

  const { headers } = await one.post(CHAT, HELLO);

  expect(headers.get("x-ag-trace-id")).toMatch(/^[0-9a-f]{32}$/);
  expect(headers.get("x-ag-registry")).toBe(one.registries[0]?.id ?? "");
  expect(headers.get("x-selected-provider")).toBe("openai");
  expect(headers.get("x-selected-model")).toBe("gpt-4o");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

test("the client's trace is continued", async () => {
  await using one = await setUp();
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  const { headers } = await one.post(CHAT, HELLO, { traceparent });

  expect(headers.get("x-ag-trace-id")).toBe("0af7651916cd43dd8448eb211c80319c");
});

test("the trace is continued upstream with our own span id, and its state is forwarded", async () => {
  await using one = await setUp();
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  const { headers } = await one.post(CHAT, HELLO, { traceparent, tracestate: "vendor=a1" });
  await one.post(CHAT, HELLO);

  const span = headers.get("x-request-id")?.replaceAll("-", "").slice(16);
  const [first, second] = one.upstream.hits;
  expect(first?.headers.traceparent).toBe(`00-0af7651916cd43dd8448eb211c80319c-${span}-01`);
  expect(first?.headers.tracestate).toBe("vendor=a1");
  expect(second?.headers.traceparent).toBeUndefined();
});

test("a revoked key is rejected at once", async () => {
  await using one = await setUp();
  const revoked = await (await kit()).delete(`${one.path}/keys/${one.key_id}`);

  const reply = await one.post(CHAT, HELLO);

  expect(revoked.status).toBe(204);
  expect(reply.status).toBe(401);
});

test("an expired key is a 401", async () => {
  await using one = await setUp();
  const expires_at = new Date(clock.now().getTime() + 60_000).toISOString();
  const { key } = await (await kit()).make<{ key: string }>(`${one.path}/keys`, {
    name: "short",
    expires_at,
  });

  const before = await one.post(CHAT, HELLO, { "x-ag-api-key": key });
  clock.advance(60_000);
  const after = await one.post(CHAT, HELLO, { "x-ag-api-key": key });

  expect([before.status, after.status]).toEqual([200, 401]);
});

test("a wrong method is a 400 only with a good key", async () => {
  await using one = await setUp();

  const without = await fetch(`${one.url}${CHAT}`);
  const with_ = await one.get(CHAT);

  expect(without.status).toBe(401);
  expect(with_.status).toBe(400);
});

test.each([
  ["expired", (one: Consumer) => shortKey(one)],
  [
    "revoked",
    async (one: Consumer) => {
      await (await kit()).delete(`${one.path}/keys/${one.key_id}`);
      return one.key;
    },
  ],
  ["unknown", async () => `ag_${"x".repeat(43)}`],
  ["an administrator's", async () => OWNER_TOKEN],
])("a key that is %s appears in no response, header or log line", async (_, keyOf) => {
  await using one = await setUp();
  const key = await keyOf(one);
  const requests: [string, Record<string, string>][] = [
    ["", { "x-ag-api-key": key }],
    ["", { "x-api-key": key }],
    ["", { authorization: `Bearer ${key}` }],
    [`?key=${key}&api_key=${key}`, {}],
  ];

  const replies = await Promise.all(
    requests.map(([query, headers]) => fetch(`${one.url}/v1/models${query}`, { headers })),
  );
  const texts = await Promise.all(
    replies.map(async (reply) => JSON.stringify([...reply.headers]) + (await reply.text())),
  );

  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  expect(texts.join()).not.toContain(key);
  expect((await kit()).lines.join()).not.toContain(key);
});

async function shortKey(one: Consumer): Promise<string> {
  const { key } = await (await kit()).make<{ key: string }>(`${one.path}/keys`, {
    name: "short",
    expires_at: new Date(clock.now().getTime() + 60_000).toISOString(),
  });
  clock.advance(60_000);
  return key;
}

test("identical requests, also of another consumer, are sent again: no response is shared", async () => {
  await using one = await setUp();
  const url = `${one.upstream.url}/v1`;
  const other = await addConsumer(await kit(), one.gateway, [{ provider: "openai", url }]);
  one.upstream.script((_, count) => ({ body: { id: `chatcmpl-${count}` } }));

  const sent = [one, one, other].map(async (consumer) => (await consumer.post(CHAT, HELLO)).json());

  expect(new Set((await Promise.all(sent)).map((reply) => JSON.stringify(reply))).size).toBe(3);
});

describe("a WebSocket upgrade that is not supported", () => {
  const UPGRADE = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };

  test("is a 426 that names the protocol to use, as RFC 9110 requires", async () => {
    const one = await makeConsumer(await kit(), []);

    const reply = await one.get("/v1/responses", UPGRADE);

    expect(reply.status).toBe(426);
    expect(reply.headers.get("upgrade")).toBe("HTTP/1.1");
    expect(reply.headers.get("connection")?.toLowerCase()).toBe("upgrade");
    expect(await reply.json()).toMatchObject({ error: { code: "upgrade_required" } });
    expect((await one.get("/v1/models")).status).toBe(200);
  });

  test("is a 401 first when the key is wrong", async () => {
    const one = await makeConsumer(await kit(), []);

    const reply = await one.get("/v1/responses", { ...UPGRADE, "x-ag-api-key": "ag_wrong" });

    expect(reply.status).toBe(401);
  });
});
