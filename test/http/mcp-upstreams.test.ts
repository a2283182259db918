/** Upstream MCP servers that are dead, slow, greedy or have changed: each harms only itself. */
import { describe, expect, test } from "bun:test";
import { SERVER_INFO_META_KEY } from "@modelcontextprotocol/client";
import { startEverythingServer } from "../kit/everything-server.ts";
import { sharedKit, startKit } from "../kit/kit.ts";
import { clientKinds, connectClient, post } from "../kit/mcp-client.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { measureLongestTurn } from "../kit/measure-longest-turn.ts";
import { minOfRuns, until } from "../kit/until.ts";
import { startRawUpstream, startUpstream } from "../kit/upstream.ts";

const kitOf = sharedKit({ settings: { UPSTREAM_HEADER_TIMEOUT_S: "1" } });

const patientKit = sharedKit();

/** A store with one good server and one of the test's own, both installed for alice. */
async function besideGood(url: string, started = kitOf) {
  const kit = await started();
  const good = startMcpServer({ tools: [{ name: "works" }] });
  const store = await makeMcpStore(kit);
  const bad = await store.serve("Bad", url);
  await store.install("alice", (await store.serve("Good", good.url)).code);
  await store.install("alice", bad.code);
  const client = await store.client("alice");
  return {
    kit,
    store,
    client,
    bad,
    /** Names without the Store's own. */
    tools: async () => (await client.tools()).filter((name) => name.includes("__")),
    notes: async () => {
      const { installs } = (await client.call("store_status", { code: bad.code })).structured as {
        installs: { notes: string[] }[];
      };
      return installs[0]?.notes ?? [];
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await good[Symbol.asyncDispose]();
    },
  };
}

test("a server that is not there leaves out only itself, and store_status says why", async () => {
  await using it = await besideGood("http://127.0.0.1:9/mcp");

  expect(await it.tools()).toEqual(["good__works"]);
  expect(await it.notes()).toEqual([expect.stringContaining("connection to the upstream failed")]);
  expect(await it.client.call("good__works")).toMatchObject({ isError: false });
  expect(await it.client.call("bad__echo")).toMatchObject({
    isError: true,
    text: expect.stringContaining("connection to the upstream failed"),
  });
});

test.concurrent("an unresponsive server is waited for once, and briefly", async () => {
  await using silent = await startRawUpstream(() => {});
  await using it = await besideGood(`${silent.url}/mcp`);

  const began = performance.now();
  expect(await it.tools()).toEqual(["good__works"]);
  expect(performance.now() - began).toBeLessThan(8000);
  const again = performance.now();
  expect(await it.tools()).toEqual(["good__works"]);
  expect(performance.now() - again).toBeLessThan(3000);
}, 20_000);

test.concurrent("a server that has another page of tools again and again is not waited for either", async () => {
  await using endless = startMcpServer({ page_ms: 2000 });
  await using it = await besideGood(endless.url, patientKit);

  expect(await it.tools()).toEqual(["good__works"]);
  expect(await it.notes()).toEqual(["The server did not respond in time."]);
  expect(endless.lists()).toBeLessThan(10);
}, 30_000);

test("other requests are served while a server sends thousands of messages before its result", async () => {
  const message = { jsonrpc: "2.0", method: "notifications/message", params: { data: "x" } };
  const events = `data: ${JSON.stringify(message)}\n\n`.repeat(5_000);
  await using chatty = startMcpServer({
    gate: async (request) => {
      const { id, method } = request.method === "POST" ? await request.clone().json() : {};
      if (method !== "tools/call") return undefined;
      const result = { jsonrpc: "2.0", id, result: { resultType: "complete", content: [] } };
      const headers = { "content-type": "text/event-stream" };
      return new Response(`${events}data: ${JSON.stringify(result)}\n\n`, { headers });
    },
  });
  await using it = await besideGood(chatty.url, patientKit);
  await it.client.call("bad__echo");

  const measure = async () => {
    const [longest, called, all] = await measureLongestTurn(() => it.client.call("bad__echo"));
    expect(called).toMatchObject({ isError: false });
    return longest / all;
  };

  expect(await minOfRuns(measure, 0.5)).toBeLessThan(0.5);
});

test.each([
  ["HTML", { headers: { "content-type": "text/html" }, body: "<h1>hello</h1>" }],
  ["an error page", { status: 500, body: "secret token abc" }],
  ["JSON that is no JSON-RPC", { body: { hello: 1 } }],
  [
    "an event that is not JSON",
    { headers: { "content-type": "text/event-stream" }, body: "data: {\n\n" },
  ],
])("a server that returns %s is reported as broken", async (_, reply) => {
  await using upstream = startUpstream(reply);
  await using it = await besideGood(`${upstream.url}/mcp`);

  expect(await it.tools()).toEqual(["good__works"]);
  expect(await it.notes()).toHaveLength(1);
  expect(JSON.stringify(await it.notes())).not.toContain("secret");
});

test("of ten thousand tools the first thousand are shown, with a note", async () => {
  const tools = Array.from({ length: 10_000 }, (_, index) => ({ name: `t${index}` }));
  await using server = startMcpServer({ tools });
  await using it = await besideGood(server.url);

  const shown = await it.tools();

  expect(shown).toHaveLength(1001);
  expect(shown).toContain("bad__t999");
  expect(await it.notes()).toEqual([expect.stringContaining("more than 1000 tools")]);
});

test("of tools that take many mebibytes the first four are shown, with a note", async () => {
  const tools = Array.from({ length: 100 }, (_, index) => ({
    name: `t${index}`,
    description: "x".repeat(60_000),
  }));
  await using server = startMcpServer({ tools });
  await using it = await besideGood(server.url);

  const shown = await it.tools();

  expect(shown.length).toBeWithin(60, 75);
  expect(await it.notes()).toEqual([expect.stringContaining("4 MiB")]);
});

test("tools that no client could use are left out one by one", async () => {
  const schema = { type: "object" as const, properties: { self: { $ref: "#" } } };
  await using server = startMcpServer({
    sessions: true,
    tools: [
      { name: "fine", inputSchema: schema },
      { name: "wrong", inputSchema: { type: "string" } as never },
      { name: "odd / näme" },
      { name: "x".repeat(120) },
      { name: "fine", description: "again" },
      { name: "task", execution: { taskSupport: "required" } },
    ],
  });
  await using it = await besideGood(server.url);

  const [first, second, third] = await it.tools();
  const tool = (await it.client.listed()).find(({ name }) => name === "bad__fine");

  expect(first).toBe("bad__fine");
  expect(tool).toMatchObject({ inputSchema: schema, description: "Does fine" });
  expect(second).toMatch(/^bad__odd___n_me_[0-9a-f]{8}$/);
  expect(third).toMatch(/^[0-9a-f]{4}__x+_[0-9a-f]{8}$/);
  expect(third?.length).toBe(64);
  expect(await it.notes()).toEqual([expect.stringContaining("Unusable tools: 3")]);
  await it.client.call(second ?? "");
  await it.client.call(third ?? "");
  expect(server.calls.map(({ name }) => name)).toEqual(["odd / näme", "x".repeat(120)]);
});

test("a result of 100 MB is a refusal, and the next call works", async () => {
  await using server = startMcpServer({
    tools: [{ name: "dump", call: ({ mb }) => "x".repeat(Number(mb) * 1024 * 1024) }],
  });
  await using it = await besideGood(server.url, patientKit);

  const big = await it.client.call("bad__dump", { mb: 100 });
  const small = await it.client.call("bad__dump", { mb: 1 });

  expect(big).toMatchObject({ isError: true, text: expect.stringContaining("16 MiB") });
  expect(small).toMatchObject({ isError: false });
  expect(small.text.length).toBeGreaterThan(1024 * 1024);
}, 30_000);

test("a call that takes too long, breaks off or fails there is a refusal", async () => {
  const content = [{ type: "text", text: "not found there" }];
  await using server = startMcpServer({
    tools: [
      { name: "slow", call: () => Bun.sleep(5000) },
      { name: "fails", call: () => ({ content, isError: true }) },
      { name: "throws", call: () => Promise.reject(new Error("their words")) },
    ],
  });
  await using it = await besideGood(server.url);

  expect(await it.client.call("bad__slow")).toMatchObject({
    isError: true,
    text: expect.stringContaining("in time"),
  });
  expect(await it.client.call("bad__fails")).toMatchObject({
    isError: true,
    text: "not found there",
  });
  expect(await it.client.call("bad__throws")).toMatchObject({ isError: true });
  await server[Symbol.asyncDispose]();
  expect(await it.client.call("bad__fails")).toMatchObject({ isError: true });
});

test("a call that takes too long is canceled at its server, in either era", async () => {
  const tools = [{ name: "slow", call: () => Bun.sleep(60_000) }];
  await using modern = startMcpServer({ tools });
  await using legacy = startMcpServer({ tools, sessions: true });
  const store = await makeMcpStore(await kitOf());
  for (const [name, { url }] of Object.entries({ modern, legacy })) {
    await store.install("alice", (await store.serve(name, url)).code);
  }
  await using client = await store.client("alice");

  const calls = [client.call("modern__slow"), client.call("legacy__slow")];

  for (const result of await Promise.all(calls)) expect(result.text).toContain("in time");
  await until(() => modern.cancelled() === 1 && legacy.cancelled() === 1);
});

test("a client that leaves takes its call with it", async () => {
  const slow = Promise.withResolvers<void>();
  await using server = startMcpServer({ tools: [{ name: "slow", call: () => slow.promise }] });
  const kit = await startKit();
  await using _ = kit;
  const store = await makeMcpStore(kit);
  await store.install("alice", (await store.serve("Slow", server.url)).code);
  const left = new AbortController();
  const call = fetch(store.url, {
    method: "POST",
    signal: left.signal,
    headers: {
      authorization: `Bearer ${await store.token("alice")}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "slow__slow" },
    }),
  }).then((reply) => reply.text());
  await until(() => server.calls.length > 0);
  expect(server.cancelled()).toBe(0);

  left.abort();
  await call.catch(() => {});
  await until(() => server.cancelled() > 0);

  expect(server.cancelled()).toBe(1);
  slow.resolve();
}, 10_000);

describe.each([
  ["of the 2026 era", false],
  ["with sessions", true],
])("a server %s", (_, sessions) => {
  test.each(clientKinds)("progress reaches the %s client before the result", async (kind) => {
    const seen = Promise.withResolvers<void>();
    await using server = startMcpServer({
      sessions,
      tools: [
        {
          name: "slow",
          call: async (_, sendProgress) => {
            // Beyond 2^53, as a time in nanoseconds is.
            await sendProgress({ progress: 1.763389e18, total: 2e18, message: "half" });
            // Progress must arrive before the result.
            await seen.promise;
            return "done";
          },
        },
      ],
    });
    const store = await makeMcpStore(await patientKit());
    await store.install("alice", (await store.serve("Bad", server.url)).code);
    await using client = await store.client("alice", kind);
    const heard: unknown[] = [];

    const result = await client.call(
      "bad__slow",
      {},
      {
        onprogress: (progress) => {
          heard.push(progress);
          seen.resolve();
        },
      },
    );

    expect(result.text).toBe('"done"');
    expect(heard).toEqual([{ progress: 1.763389e18, total: 2e18, message: "half" }]);
  });

  test.each([
    ["2026-07-28 client that cancels", "2026-07-28", true],
    ["2026-07-28 client that leaves", "2026-07-28", false],
    ["2025 client that cancels", "2025", true],
    ["2025 client that leaves", "2025", false],
    ["v1 client that cancels", "v1 package", true],
    ["v1 client that leaves", "v1 package", false],
  ] as const)(
    "a %s takes its call with it",
    async (_, kind, cancels) => {
      await using server = startMcpServer({
        sessions,
        tools: [{ name: "slow", call: () => Bun.sleep(60_000) }],
      });
      const store = await makeMcpStore(await patientKit());
      await store.install("alice", (await store.serve("Slow", server.url)).code);
      await using client = await store.client("alice", kind);
      const left = new AbortController();
      const call = client.call("slow__slow", {}, { signal: left.signal }).catch(() => "gone");
      await until(() => server.calls.length > 0);

      if (cancels) left.abort();
      else await client[Symbol.asyncDispose]();

      expect(await call).toBe("gone");
      await until(() => server.cancelled() > 0);
    },
    5_000,
  );
});

test("notifications/cancelled ends a call of the same caller and session, and no other", async () => {
  const slow = Promise.withResolvers<void>();
  await using server = startMcpServer({ tools: [{ name: "slow", call: () => slow.promise }] });
  const store = await makeMcpStore(await patientKit());
  const { code } = await store.serve("Slow", server.url);
  for (const name of ["alice", "bob"]) await store.install(name, code);
  const [alice, bob] = [await store.token("alice"), await store.token("bob")];
  const send = (token: string, session: string | undefined, message: object) =>
    post(
      store.url,
      { authorization: `Bearer ${token}`, ...(session ? { "mcp-session-id": session } : {}) },
      { jsonrpc: "2.0", ...message },
    );
  const open = async (token: string) => {
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "c", version: "1" },
    };
    const reply = await send(token, undefined, { id: 0, method: "initialize", params });
    await reply.text();
    return reply.headers.get("mcp-session-id") ?? expect.unreachable();
  };
  const cancel = (token: string, session: string | undefined, requestId: unknown) =>
    send(token, session, { method: "notifications/cancelled", params: { requestId } });
  const session = await open(alice);
  const call = send(alice, session, {
    id: 7,
    method: "tools/call",
    params: { name: "slow__slow" },
  }).then((reply) => reply.text());
  await until(() => server.calls.length === 1);

  const others = [
    await cancel(bob, session, 7),
    await cancel(alice, await open(alice), 7),
    await cancel(alice, undefined, 7),
    await cancel(alice, session, "7"),
    await cancel(alice, session, 8),
  ];
  expect(others.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  expect(server.cancelled()).toBe(0);

  expect((await cancel(alice, session, 7)).status).toBe(202);
  await until(() => server.cancelled() === 1);
  expect(await call).not.toContain("result");
  slow.resolve();
});

test("a redirect to another host is not followed, with or without a private address behind it", async () => {
  await using inside = startUpstream({ body: { secret: 1 } });
  await using upstream = startUpstream({ status: 307, headers: { location: `${inside.url}/mcp` } });
  await using it = await besideGood(`${upstream.url}/mcp`);

  expect(await it.tools()).toEqual(["good__works"]);
  expect(inside.hits).toHaveLength(0);
});

test("a redirect within the same host is followed", async () => {
  await using server = startMcpServer({
    gate: ({ url }) =>
      new URL(url).pathname === "/old"
        ? new Response(null, { status: 307, headers: { location: "/mcp" } })
        : undefined,
  });
  await using it = await besideGood(`${server.origin}/old`);

  expect(await it.tools()).toEqual(["bad__echo", "good__works"]);
});

test("an address that turns out private is not dialed unless the instance says so", async () => {
  await using server = startMcpServer();
  const kit = await kitOf();
  const store = await makeMcpStore(kit);
  const { code, path } = await store.serve("Inside", server.url);
  await store.install("alice", code);
  await kit.db.run("UPDATE registries SET allow_private = $1 WHERE name = 'Inside'", false);
  await using client = await store.client("alice");

  expect(await client.call("inside__echo")).toMatchObject({ isError: true });
  expect(server.hits).toHaveLength(0);
  expect(path).toBeDefined();
});

test("lists that come together ask a server once", async () => {
  await using server = startMcpServer({ delay_ms: 50 });
  await using it = await besideGood(server.url);

  const lists = await Promise.all(Array.from({ length: 10 }, it.tools));

  expect(lists.every((names) => names.includes("bad__echo"))).toBe(true);
  expect(server.lists()).toBe(1);
});

test("lists are kept and sessions pooled: many principals, one handshake", async () => {
  await using server = startMcpServer();
  const kit = await kitOf();
  const store = await makeMcpStore(kit);
  const { code } = await store.serve("Shared", server.url);
  for (const name of ["alice", "bob", "carol"]) {
    await store.install(name, code);
    await using client = await store.client(name);
    await client.tools();
    await client.call("shared__echo");
  }

  expect(server.lists()).toBe(1);
  expect(server.calls).toHaveLength(3);
});

test("a server that lost the session gets a new one, and the call once", async () => {
  await using server = startMcpServer({ sessions: true });
  await using it = await besideGood(server.url);
  expect(await it.client.call("bad__echo")).toMatchObject({ isError: false });
  server.sessions.clear();

  expect(await it.client.call("bad__echo")).toMatchObject({ isError: false });
  expect(server.calls).toHaveLength(2);
  expect(server.sessions.size).toBe(1);
});

test.each([false, true])(
  "a server that announces changed tools is listed again at the next request, sessions %p",
  async (sessions) => {
    await using server = startMcpServer({ sessions });
    await using it = await besideGood(server.url);
    server.state.tools = [
      {
        name: "shrink",
        call: async (_args, _sendProgress, changed) => {
          server.state.tools.pop();
          await changed();
          return "shrunk";
        },
      },
      { name: "more" },
    ];
    expect(await it.tools()).toEqual(["bad__shrink", "bad__more", "good__works"]);

    await it.client.call("bad__shrink");

    expect(await it.tools()).toEqual(["bad__shrink", "good__works"]);
  },
);

test("the reference server, which begins streams with an event without data, is listed and called", async () => {
  await using server = await startEverythingServer();
  await using it = await besideGood(server.url, patientKit);

  expect(await it.tools()).toEqual(expect.arrayContaining(["bad__echo", "bad__get-sum"]));
  // Its tool simulate-research-query requires task support.
  expect(await it.notes()).toEqual([expect.stringMatching(/^Unusable tools: 1 .*only as tasks/)]);
  expect(await it.client.call("bad__get-sum", { a: 2, b: 3 })).toMatchObject({
    isError: false,
    text: expect.stringContaining("5"),
  });
  const heard: unknown[] = [];
  const slow = await it.client.call(
    "bad__trigger-long-running-operation",
    { duration: 0.2, steps: 2 },
    { onprogress: (progress) => heard.push(progress) },
  );
  expect(slow.isError).toBe(false);
  expect(heard.length).toBeGreaterThan(0);
}, 20_000);

test("a stream that the server closes early is resumed behind its last event", async () => {
  const finish = Promise.withResolvers<void>();
  await using server = startMcpServer({
    sessions: true,
    resumable: true,
    tools: [
      {
        name: "poll",
        call: async (_args, sendProgress, _changed, close) => {
          await sendProgress({ progress: 1 });
          close();
          await finish.promise;
          await sendProgress({ progress: 2 });
          return "done";
        },
      },
    ],
  });
  await using it = await besideGood(server.url, patientKit);
  const heard: unknown[] = [];
  await it.tools();

  const call = it.client.call("bad__poll", {}, { onprogress: (progress) => heard.push(progress) });
  const resumed = () => server.hits.filter(({ method }) => method === "GET");
  await until(() => resumed().length > 0);
  finish.resolve();

  expect(await call).toMatchObject({ isError: false, text: '"done"' });
  expect(heard).toEqual([{ progress: 1 }, { progress: 2 }]);
  expect(server.calls).toHaveLength(1);
  const [get] = resumed();
  expect(get?.headers.get("last-event-id")).toMatch(/^\d+$/);
  expect(get?.headers.get("mcp-session-id")).not.toBeNull();
});

test.each([
  ["without an id", "retry: 1\ndata:\n\n"],
  ["with an id that is not a header value", "id: a\u0001b\nretry: 1\ndata:\n\n"],
  ["with an id of a mebibyte", `id: ${"x".repeat(1024 * 1024)}\nretry: 1\ndata:\n\n`],
])("a stream that ends %s cannot be resumed, and its call fails", async (_, body) => {
  await using upstream = startUpstream({
    headers: { "content-type": "text/event-stream" },
    body,
  });
  await using it = await besideGood(`${upstream.url}/mcp`);

  expect(await it.tools()).toEqual(["good__works"]);
  expect(await it.notes()).toEqual(["The server closed the stream before its response."]);
});

test("a tool call continues the trace of its request at the server", async () => {
  const kit = await patientKit();
  await using server = startMcpServer();
  const store = await makeMcpStore(kit);
  const { code } = await store.serve("Traced", server.url);
  await store.install("alice", code);
  const trace = "0af7651916cd43dd8448eb211c80319c";
  await using client = await connectClient(store.url, {
    authorization: `Bearer ${await store.token("alice")}`,
    traceparent: `00-${trace}-b7ad6b7169203331-01`,
    tracestate: "vendor=a1",
  });

  await client.call("traced__echo");

  const sent = server.calls[0]?.headers;
  expect(sent?.get("traceparent")).toMatch(
    new RegExp(`^00-${trace}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`),
  );
  expect(sent?.get("tracestate")).toBe("vendor=a1");
});

test("a server of the 2026 revision gets the method, the tool and declared arguments as headers", async () => {
  const region = { type: "string", "x-mcp-header": "Region" };
  const inputSchema = { type: "object" as const, properties: { region } };
  await using server = startMcpServer({
    tools: [{ name: "look up", inputSchema }, { name: "näme" }, { name: "=?base64?eA==?=" }],
  });
  await using it = await besideGood(server.url);
  const [plain = "", encoded = "", ambiguous = ""] = await it.tools();

  await it.client.call(plain, { region: "Zürich" });
  await it.client.call(encoded);
  await it.client.call(ambiguous);

  const names = ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-param-region"];
  const sent = server.calls.map(({ headers }) => names.map((name) => headers.get(name)));
  const toBase64 = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;
  expect(sent).toEqual([
    ["2026-07-28", "tools/call", "look up", toBase64("Zürich")],
    ["2026-07-28", "tools/call", toBase64("näme"), null],
    ["2026-07-28", "tools/call", toBase64("=?base64?eA==?="), null],
  ]);
});

test("an error with status 400 of a server of the 2026 revision is returned with its message", async () => {
  await using server = startMcpServer({
    gate: async (request) => {
      if (request.headers.get("mcp-method") !== "tools/call") return undefined;
      const { id } = (await request.json()) as { id: unknown };
      const error = { code: -32602, message: "name: is required" };
      return Response.json({ jsonrpc: "2.0", id, error }, { status: 400 });
    },
  });
  await using it = await besideGood(server.url);

  const result = await it.client.call("bad__echo");

  expect(result).toMatchObject({
    isError: true,
    text: expect.stringContaining("name: is required"),
  });
});

/** A server of 2025 that sends this response to a call, without the SDK. */
function startRawMcpServer(response: object) {
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "raw", version: "1" },
    },
    "tools/list": { tools: [{ name: "raw", inputSchema: { type: "object" } }] },
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { id, method } = (await request.json()) as { id?: unknown; method: string };
      if (id === undefined) return new Response(null, { status: 202 });
      if (method === "tools/call") return Response.json({ jsonrpc: "2.0", id, ...response });
      const error = { code: -32601, message: "Method not found" };
      const result = results[method];
      return Response.json({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

const TEXT = { type: "text", text: "fine" };
const IMAGE = { type: "image", data: "AAAA", mimeType: "image/png" };

test.each([
  ["an unknown member of text", { content: [{ ...TEXT, hidden: "x" }] }],
  ["an unknown member of an image", { content: [TEXT, { ...IMAGE, hidden: "x" }] }],
  ["the name of its server", { content: [TEXT], _meta: { [SERVER_INFO_META_KEY]: "hidden" } }],
])("%s in a result is not passed on", async (_, result) => {
  await using raw = startRawMcpServer({ result });
  await using it = await besideGood(raw.url);
  const authorization = `Bearer ${await it.store.token("alice")}`;
  const params = { name: "bad__raw" };

  const reply = await post(
    it.store.url,
    { authorization },
    { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  );

  const text = await reply.text();
  expect(text).toContain("fine");
  expect(text).not.toContain("hidden");
});

test.each<[string, object, string]>([
  ["content that is no list", { result: { content: TEXT } }, "not valid MCP"],
  ["text that is a number", { result: { content: [{ type: "text", text: 1 }] } }, "not valid MCP"],
  ["an unknown type of content", { result: { content: [{ type: "x" }] } }, "not valid MCP"],
  ["isError that is text", { result: { content: [TEXT], isError: "no" } }, "not valid MCP"],
  ["no result", {}, "not valid MCP"],
  ["the id of another call", { id: 0, result: { content: [TEXT] } }, "not valid MCP"],
  ["an error", { error: { code: -32000, message: "no such ticket" } }, "no such ticket"],
])("a response with %s is a failed call", async (_, response, text) => {
  await using raw = startRawMcpServer(response);
  await using it = await besideGood(raw.url);

  const result = await it.client.call("bad__raw");

  expect(result).toMatchObject({ isError: true, text: expect.stringContaining(text) });
});
