/** Limits of MCP callers and servers: memory and the rate limits of the gateway. */
import { afterAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { sharedKit, startKit } from "../kit/kit.ts";
import { post } from "../kit/mcp-client.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { freshRedis } from "../kit/services.ts";
import { postAndStall } from "../kit/stalled-client.ts";
import { until } from "../kit/until.ts";
import { entryOf } from "../limiter/limited.ts";

const KIB = 1024;
/** A caller may hold a quarter of it: 2 MiB. */
const kitOf = sharedKit({ settings: { IN_FLIGHT_MIB: "8" } });

async function served() {
  const kit = await kitOf();
  const waiting = Promise.withResolvers<void>();
  const server = startMcpServer({
    tools: [
      { name: "take", call: () => "taken" },
      { name: "wait", call: () => waiting.promise.then(() => "waited") },
      { name: "give", call: ({ kib }) => "x".repeat(Number(kib) * KIB) },
      {
        name: "dig",
        call: ({ levels }) => ({
          content: [],
          structuredContent: {
            list: JSON.parse("[".repeat(Number(levels)) + "]".repeat(Number(levels))),
          },
        }),
      },
      {
        name: "nest",
        call: ({ count }) => ({
          content: [],
          structuredContent: { list: Array.from({ length: Number(count) }, () => []) },
        }),
      },
    ],
  });
  const store = await makeMcpStore(kit);
  const { code } = await store.serve("Big", server.url);
  const tokens = new Map<string, string>();
  for (const name of ["alice", "bob"]) {
    await store.install(name, code);
    tokens.set(name, await store.token(name));
  }
  const send = (name: string, body: unknown, headers = {}) =>
    post(store.url, { authorization: `Bearer ${tokens.get(name)}`, ...headers }, body);
  return {
    server,
    send,
    call: (name: string, tool: string, args: unknown) => {
      const params = { name: `big__${tool}`, arguments: args };
      return send(name, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
    },
    /** A stream of changes, with so much text in its request. */
    listen: (name: string, kib: number, id: unknown = 1) => {
      const { body, headers } = listenRequest(kib, id);
      return send(name, body, headers);
    },
    /** Returns the start of the response to a request for a stream of changes, which stays open. */
    async listenAndStall(name: string, sockets: DisposableStack): Promise<string> {
      const { body, headers } = listenRequest(0, 1);
      const sent = { authorization: `Bearer ${tokens.get(name)}`, ...headers };
      const socket = await postAndStall(store.url, sent, JSON.stringify(body));
      sockets.defer(() => socket.destroy());
      return String(socket.read()).slice(0, "HTTP/1.1 200".length);
    },
    release: () => waiting.resolve(),
    async [Symbol.asyncDispose]() {
      waiting.resolve();
      await server[Symbol.asyncDispose]();
    },
  };
}

function listenRequest(kib: number, id: unknown) {
  const method = "subscriptions/listen";
  const about = {
    protocolVersion: "2026-07-28",
    clientInfo: { name: "listener", version: "1" },
    clientCapabilities: {},
    padding: text(kib),
  };
  const _meta = Object.fromEntries(
    Object.entries(about).map(([key, value]) => [`io.modelcontextprotocol/${key}`, value]),
  );
  const params = { notifications: { toolsListChanged: true }, _meta };
  const headers = { "mcp-protocol-version": about.protocolVersion, "mcp-method": method };
  return { body: { jsonrpc: "2.0", id, method, params }, headers };
}

const text = (kib: number) => ({ text: "x".repeat(kib * KIB) });

test("a body of millions of small values is a 413 before it is parsed", async () => {
  await using it = await served();

  const reply = await it.call("alice", "take", { list: Array.from({ length: 50_000 }, () => []) });

  expect(reply.status).toBe(413);
  expect(await reply.json()).toMatchObject({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32000, message: expect.any(String), data: { code: "too_large" } },
  });
  expect(it.server.calls).toHaveLength(0);
});

test("a body, or a result, that is nested too deep is rejected before it is written again", async () => {
  await using it = await served();
  const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);

  const refused = await it.call("alice", "take", { list: nested(1001) });
  const failed = await (await it.call("alice", "dig", { levels: 1001 })).text();
  const fine = await (await it.call("alice", "dig", { levels: 900 })).text();

  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("nested deeper than 1000 levels");
  expect(failed).toContain("nested deeper than 1000 levels");
  expect(fine).not.toContain("isError");
});

test("a body with too many members is a 413, and a result with too many a failed call", async () => {
  await using kit = await startKit();
  const members = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [index.toString(36), 1]));
  await using server = startMcpServer({
    tools: [
      {
        name: "list",
        call: ({ count }) => ({ content: [], structuredContent: members(Number(count)) }),
      },
    ],
  });
  const store = await makeMcpStore(kit);
  await store.install("alice", (await store.serve("Wide", server.url)).code);
  const headers = { authorization: `Bearer ${await store.token("alice")}` };
  const call = (args: object) => {
    const params = { name: "wide__list", arguments: args };
    return post(store.url, headers, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
  };

  const refused = await call(members(100_000));
  const failed = await (await call({ count: 100_001 })).text();

  expect([refused.status, await refused.text()]).toEqual([
    413,
    expect.stringContaining("more than 100000 members"),
  ]);
  expect(failed).toContain("more than 100000 members");
  expect(await (await call({ count: 90_000 })).text()).not.toContain("isError");
});

test("a caller who holds its share gets a 429, another caller does not, and the share comes back", async () => {
  await using it = await served();
  const first = it.call("alice", "wait", text(300)).then((reply) => reply.text());
  await until(() => it.server.calls.length === 1);

  const second = await it.call("alice", "take", text(300));
  expect(second.status).toBe(429);
  expect(second.headers.get("retry-after")).toBe("1");
  expect(await second.json()).toMatchObject({
    jsonrpc: "2.0",
    error: { data: { code: "overloaded", retry_after: "1" } },
  });
  expect((await it.call("alice", "take", text(1))).status).toBe(200);
  expect((await it.call("bob", "take", text(300))).status).toBe(200);

  it.release();
  expect(await first).toContain("waited");
  for (let round = 0; round < 5; round += 1) {
    expect((await it.call("alice", "take", text(300))).status).toBe(200);
  }
});

test("a client that listens holds no memory of its request", async () => {
  await using it = await served();
  const listening: Response[] = [];
  for (let count = 0; count < 8; count += 1) listening.push(await it.listen("alice", 100));

  expect(listening.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect((await it.call("alice", "take", text(100))).status).toBe(200);
  for (const { body } of listening) await body?.cancel();
});

test("an id or a progress token that would be repeated in many notifications is at most 1,024 characters", async () => {
  await using it = await served();
  const [short, long] = ["x".repeat(KIB), "x".repeat(KIB + 1)];
  const callWith = (id: string, progressToken: string) => {
    const params = { name: "big__take", arguments: {}, _meta: { progressToken } };
    return { jsonrpc: "2.0", id, method: "tools/call", params };
  };

  expect((await it.send("alice", callWith(short, short))).status).toBe(200);
  for (const body of [callWith(long, short), callWith(short, long), [callWith("1", long)]]) {
    const reply = await it.send("alice", body);
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain("must have at most 1024 characters");
  }
  expect((await it.listen("alice", 1, long)).status).toBe(400);
});

test("a caller may open 256 streams of changes, and another caller more", async () => {
  await using it = await served();
  const listen = async (name: string) => {
    using sockets = new DisposableStack();
    const statuses: string[] = [];
    for (let count = 0; count < 256; count++) {
      statuses.push(await it.listenAndStall(name, sockets));
    }
    expect(new Set(statuses)).toEqual(new Set(["HTTP/1.1 200"]));
    expect(await it.listenAndStall(name, sockets)).toBe("HTTP/1.1 429");
    expect(await it.listenAndStall("bob", sockets)).toBe("HTTP/1.1 200");
  };

  await listen("alice");

  using sockets = new DisposableStack();
  await until(async () => (await it.listenAndStall("alice", sockets)) === "HTTP/1.1 200");
}, 30_000);

test("a body that never fits is a 413, with a declared length or in chunks", async () => {
  await using it = await served();
  const chunked = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let sent = 0; sent < 3 * KIB; sent += 64) {
        controller.enqueue(Buffer.alloc(64 * KIB, " "));
      }
      controller.close();
    },
  });

  expect((await it.call("alice", "take", text(3 * KIB))).status).toBe(413);
  expect((await it.send("alice", chunked)).status).toBe(413);
  expect((await it.call("alice", "take", text(1))).status).toBe(200);
});

test("a result larger than a share is a failed call, and the next call works", async () => {
  await using it = await served();

  expect(await (await it.call("alice", "give", { kib: 3 * KIB })).text()).toContain("isError");
  expect(await (await it.call("alice", "nest", { count: 100_000 })).text()).toContain("isError");
  for (let round = 0; round < 5; round += 1) {
    const reply = await it.call("alice", "give", { kib: 300 });
    expect((await reply.text()).length).toBeGreaterThan(300 * KIB);
  }
});

test("a long integer among very many values is rejected, because it takes long to parse", async () => {
  await using it = await served();
  const send = async (first: string) => {
    const values = `[${first}${",1".repeat(180_000)}]`;
    const params = `{"name":"big__take","arguments":{"values":${values}}}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    return (await it.send("alice", body)).text();
  };

  expect(await send("12345678901234567")).toContain("too many values");
  for (const other of ["1", '"12345678901234567"', "0.12345678901234567"]) {
    expect(await send(other)).not.toContain("too many values");
  }
});

describe("each message of a JSON-RPC batch counts as a request", () => {
  const redis = freshRedis();
  afterAll(async () => (await redis)[Symbol.asyncDispose]());

  test.each(["memory", "Redis"])("counted in %s", async (store) => {
    const settings = store === "Redis" ? { REDIS_URL: (await redis).url } : {};
    await using kit = await startKit({ settings });
    await using server = startMcpServer();
    const mcp = await makeMcpStore(kit);
    await mcp.install("alice", (await mcp.serve("Tickets", server.url)).code);
    await kit.put(mcp.path, {
      required_plugins: [entryOf({ limits: { per_user: { limit: 5, window: "1h" } } })],
    });
    const headers = { authorization: `Bearer ${await mcp.token("alice")}` };
    const send = async (count: number) => {
      const batch = Array.from({ length: count }, (_, id) => ({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "tickets__echo" },
      }));
      const reply = await post(mcp.url, headers, count === 1 ? batch[0] : batch);
      await reply.text();
      return [reply.status, reply.headers.get("x-ratelimit-per_user-remaining")];
    };

    expect(await send(3)).toEqual([200, "2"]);
    // Refused as a whole: nothing is charged and nothing is called.
    expect(await send(3)).toEqual([429, "2"]);
    expect(server.calls).toHaveLength(3);
    expect(await send(6)).toEqual([429, "2"]);
    // Larger than any batch may be: refused before it is counted.
    expect(await send(101)).toEqual([400, null]);
    expect(await send(2)).toEqual([200, "0"]);
    expect(await send(1)).toEqual([429, "0"]);
    expect(server.calls).toHaveLength(5);
  });
});

test.each([
  ["JSON", {}],
  ["a stream", { _meta: { progressToken: 1 } }],
])(
  "a result that its caller does not read, as %s, counts until it disconnects",
  async (_, more) => {
    // A caller may hold 40 MiB, and the kernel buffers less than the 15 of a result.
    await using kit = await startKit({ settings: { IN_FLIGHT_MIB: "160" } });
    await using server = startMcpServer({
      tools: [{ name: "give", call: () => "x".repeat(15 * 1024 * KIB) }],
    });
    const store = await makeMcpStore(kit);
    await store.install("alice", (await store.serve("Big", server.url)).code);
    const headers = { authorization: `Bearer ${await store.token("alice")}` };
    const toBody = (name: string) =>
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, ...more } });
    const callAndStall = async () => {
      const socket = await postAndStall(store.url, headers, toBody("big__give"));
      // The header block of a stream arrives before its result counts.
      for (let size = 0; size < 4 * KIB; ) {
        size += socket.read()?.length ?? 0;
        if (size < 4 * KIB) await once(socket, "readable");
      }
      return socket;
    };
    const countReceived = async () =>
      (await (await post(store.url, headers, toBody("big__give"))).bytes()).length;

    const stalled = [await callAndStall(), await callAndStall()];
    expect(await countReceived()).toBeLessThan(KIB);
    for (const socket of stalled) socket.destroy();

    await until(async () => (await countReceived()) > 15 * 1024 * KIB);
  },
  20_000,
);
