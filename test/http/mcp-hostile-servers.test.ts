/** MCP servers and callers that send what takes long to validate, or more messages than the other side reads. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { clientKinds, connectClient, post } from "../kit/mcp-client.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { measureLongestTurn } from "../kit/measure-longest-turn.ts";
import { minOfRuns } from "../kit/until.ts";
import { startVendor } from "../kit/vendor.ts";

setDefaultTimeout(30_000);

const kitOf = sharedKit();

const EMPTY_OBJECTS = `[${Array(150_000).fill("{}").join(",")}]`;
const MEMBERS = Array.from({ length: 20_000 }, (_, at) => `"k${at}":{}`);
const MODERN = `"resultType":"complete","ttlMs":0,"cacheScope":"private"`;

interface Message {
  id?: number;
  method?: string;
  params?: { _meta?: { progressToken?: unknown } };
}

/** A server that responds as `respond` decides, else as the SDK does, and one caller of it. */
async function served(
  respond: (message: Message) => Response | undefined,
  { sessions = false } = {},
) {
  const server = startMcpServer({
    sessions,
    gate: async (request) =>
      request.method === "POST" ? respond(await request.clone().json()) : undefined,
  });
  const store = await makeMcpStore(await kitOf());
  await store.install("alice", (await store.serve("Bad", server.url)).code);
  const headers = { authorization: `Bearer ${await store.token("alice")}` };
  const send = async (method: string, params: object) => {
    const reply = await post(store.url, headers, { jsonrpc: "2.0", id: 1, method, params });
    return { status: reply.status, text: await reply.text() };
  };
  return {
    server,
    url: store.url,
    headers,
    send,
    list: () => send("tools/list", {}),
    call: (more = {}) => send("tools/call", { name: "bad__echo", arguments: {}, ...more }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const json = (id: number | undefined, result: string) =>
  new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, {
    headers: { "content-type": "application/json" },
  });

const stream = (events: readonly object[]) =>
  new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });

const WITH_PROGRESS = { _meta: { progressToken: 1 } };
/** Before the limits, each of these took 2 s or more. */
const MAX_TURN_MS = 1_000;

test.each([
  ["blocks", `{${MODERN},"content":${EMPTY_OBJECTS}}`],
  ["blocks below the limit", `{${MODERN},"content":[${Array(29_000).fill("{}")}]}`],
  [
    "icons of a link",
    `{${MODERN},"content":[{"type":"resource_link","uri":"a:b","name":"a","icons":${EMPTY_OBJECTS}}]}`,
  ],
  [
    "readers of a text",
    `{${MODERN},"content":[{"type":"text","text":"a","annotations":{"audience":${EMPTY_OBJECTS}}}]}`,
  ],
  ["members of its _meta", `{${MODERN},"content":[],"_meta":{${MEMBERS}}}`],
])(
  "a result with very many invalid %s is a failed call that does not block other requests",
  async (_, result) => {
    for (const sessions of [false, true]) {
      await using it = await served(
        ({ id, method }) => (method === "tools/call" ? json(id, result) : undefined),
        { sessions },
      );
      await it.list();

      for (const more of [{}, WITH_PROGRESS]) {
        const [longest, { text }] = await measureLongestTurn(() => it.call(more));
        expect(text).toContain("Bad failed.");
        expect(longest).toBeLessThan(MAX_TURN_MS);
      }
    }
  },
);

test("a result with a thousand links and a large structure is passed on, with and without progress", async () => {
  const link = { type: "resource_link", uri: "a:b", name: "a" };
  const content = JSON.stringify(Array(1000).fill(link));
  const result = `{${MODERN},"content":${content},"structuredContent":{"rows":${EMPTY_OBJECTS}},"_meta":{"a/b":${EMPTY_OBJECTS}}}`;
  await using it = await served(({ id, method }) =>
    method === "tools/call" ? json(id, result) : undefined,
  );

  for (const more of [{}, WITH_PROGRESS]) {
    const { text } = await it.call(more);
    expect(text).not.toContain("isError");
    expect(text.split("resource_link").length - 1).toBe(1000);
    expect(text.split("{}").length - 1).toBe(300_000);
  }
});

test.each([
  [
    "30,000 values in its content",
    Array(7_501).fill({ type: "resource_link", uri: "a:b", name: "a" }),
    "has more than 30000 values",
  ],
  [
    "1,000 values in a block",
    [{ type: "text", text: "a", annotations: { audience: Array(1_000).fill("user") } }],
    "Bad failed.",
  ],
])("a result with more than %s is a failed call", async (_, content, problem) => {
  const result = `{${MODERN},"content":${JSON.stringify(content)}}`;
  await using it = await served(({ id, method }) =>
    method === "tools/call" ? json(id, result) : undefined,
  );

  for (const more of [{}, WITH_PROGRESS]) {
    expect((await it.call(more)).text).toContain(problem);
  }
});

test("a list of very many invalid tools does not block other requests, in either era", async () => {
  for (const sessions of [false, true]) {
    await using it = await served(
      ({ id, method }) =>
        method === "tools/list" ? json(id, `{${MODERN},"tools":${EMPTY_OBJECTS}}`) : undefined,
      { sessions },
    );

    const [longest, { text }] = await measureLongestTurn(it.list);

    expect(text).not.toContain("bad__");
    expect(longest).toBeLessThan(MAX_TURN_MS);
  }
});

test("one invalid tool of a server of the 2026 revision does not invalidate the others", async () => {
  const good = `{"name":"good","inputSchema":{"type":"object"}}`;
  await using it = await served(({ id, method }) =>
    method === "tools/list" ? json(id, `{${MODERN},"tools":[{"name":1},${good}]}`) : undefined,
  );

  expect((await it.list()).text).toContain("bad__good");
});

test.each([`null`, `""`])(
  "a list of tools with the next cursor %s has no further page",
  async (cursor) => {
    const tools = `[{"name":"good","inputSchema":{"type":"object"}}]`;
    let lists = 0;
    await using it = await served(({ id, method }) => {
      if (method !== "tools/list") return undefined;
      lists += 1;
      return json(id, `{${MODERN},"tools":${tools},"nextCursor":${cursor}}`);
    });

    expect((await it.list()).text).toContain("bad__good");
    expect(lists).toBe(1);
  },
);

test("definitions that clients would reject are repaired, so that the list of all servers remains valid", async () => {
  const object = (members: string) => `{"type":"object",${members}}`;
  const members = [
    `"annotations":{"readOnlyHint":"yes","title":null,"__proto__":1,"vendor":{"a":1}}`,
    ...[`"properties":[]`, `"required":null`, `"$schema":7`, `"properties":{"a":true,"b":false}`]
      .map(object)
      .flatMap((schema) => [`"inputSchema":${schema}`, `"outputSchema":${schema}`]),
  ];
  const tools = members.map(
    (text, at) => `{"name":"t${at}","inputSchema":{"type":"object"},${text}}`,
  );
  await using it = await served(({ id, method }) =>
    method === "tools/list" ? json(id, `{${MODERN},"tools":[${tools}]}`) : undefined,
  );

  for (const kind of clientKinds) {
    await using client = await connectClient(it.url, it.headers, kind);
    const listed = await client.tools();
    expect(listed.filter((name) => name.startsWith("bad__"))).toHaveLength(tools.length);
  }
  const { text } = await it.list();
  expect(text).toContain(`"vendor":{"a":1}`);
  expect(text.split(`"properties":{"a":{},"b":{"not":{}}}`)).toHaveLength(3);
});

test("an error with very many values is read as its status, and does not block other requests", async () => {
  const body = (id: number | undefined, data: string) =>
    `{"jsonrpc":"2.0","id":${id},"error":{"code":-32602,"message":"No such city","data":${data}}}`;
  const names = Array.from({ length: 1_000_000 }, (_, at) => `"m${at}":1`);
  let data = "{}";
  await using it = await served(({ id, method }) =>
    method === "tools/call" ? new Response(body(id, data), { status: 400 }) : undefined,
  );
  expect((await it.call()).text).toContain("No such city");
  data = `{${names}}`;

  const [longest, { text }] = await measureLongestTurn(() => it.call());

  expect(text).toContain("Bad failed. The server returned status 400.");
  expect(longest).toBeLessThan(MAX_TURN_MS);
});

test.each([
  ["brackets", "[".repeat(10_000_000)],
  ["different names", `{${Array.from({ length: 1_000_000 }, (_, at) => `"m${at}":1`)}}`],
])(
  "an error of the handshake with millions of %s does not block other requests",
  async (_, text) => {
    await using it = await served(
      ({ method }) =>
        method === "server/discover" ? new Response(text, { status: 400 }) : undefined,
      { sessions: true },
    );

    const [longest, { text: listed }] = await measureLongestTurn(it.list);

    expect(listed).toContain("bad__echo");
    expect(longest).toBeLessThan(MAX_TURN_MS / 2);
  },
);

test("a server whose own description has very many values is left out, and does not block other requests", async () => {
  const info = `{"name":"a","version":"1","icons":${EMPTY_OBJECTS}}`;
  await using it = await served(
    ({ id, method }) =>
      method === "initialize"
        ? json(id, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":${info}}`)
        : undefined,
    { sessions: true },
  );

  const [longest, { text }] = await measureLongestTurn(it.list);

  expect(text).not.toContain("bad__");
  expect(longest).toBeLessThan(MAX_TURN_MS);
});

test.each([false, true])(
  "a server whose own description is large is left out, because each connection keeps it (sessions: %p)",
  async (sessions) => {
    const instructions = "x".repeat(300_000);
    await using it = await served(
      ({ id, method }) => {
        const info = `"capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"},"instructions":"${instructions}"`;
        if (method === "initialize") return json(id, `{"protocolVersion":"2025-06-18",${info}}`);
        if (method !== "server/discover" || sessions) return undefined;
        return json(id, `{${MODERN},"supportedVersions":["2026-07-28"],${info}}`);
      },
      { sessions },
    );

    expect((await it.call()).text).toContain("describes itself with more than 256 KiB");
  },
);

test("tool lists that differ for each principal are removed from the cache by their memory", async () => {
  let lists = 0;
  const values = Array(21_000).fill("{}").join(",");
  const server = startMcpServer({
    gate: async (request) => {
      const { id, method }: Message = request.method === "POST" ? await request.clone().json() : {};
      if (method !== "tools/list") return undefined;
      lists += 1;
      const schema = `{"type":"object","list":"${lists}","x":[${values}]}`;
      const tools = Array.from(
        { length: 30 },
        (_, at) => `{"name":"t${at}","inputSchema":${schema}}`,
      );
      return json(id, `{"tools":[${tools}],${MODERN}}`);
    },
  });
  await using _ = server;
  const kit = await kitOf();
  const store = await makeMcpStore(kit);
  const { code } = await store.serve("Bad", server.url, { auth: { type: "principal_key" } });
  const principals = ["alice", "bob"];
  for (const principal of principals) {
    const path = `${store.path}/store/principal/installs/${await store.install(principal, code)}`;
    await kit.put(`${path}/config`, { values: { api_key: principal } });
  }
  const call = async (principal: string) => {
    const headers = { authorization: `Bearer ${await store.token(principal)}` };
    const params = { name: "bad__none", arguments: {} };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    await (await post(store.url, headers, message)).text();
  };

  for (const principal of [...principals, "bob", "alice"]) await call(principal);

  expect(lists).toBe(3);
});

test("a message with very many values besides the arguments of a tool is a 413", async () => {
  await using it = await served(() => undefined);
  const values = (count: number) => Array.from({ length: count }, () => ({}));
  const initialize = (count: number) =>
    it.send("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "a", version: "1", icons: values(count) },
    });

  expect((await initialize(2_000)).status).toBe(413);
  expect((await initialize(0)).status).toBe(200);
  expect((await it.call({ ...WITH_PROGRESS, arguments: values(2_000) })).status).toBe(413);
  expect((await it.call({ ...WITH_PROGRESS, arguments: { list: values(50_000) } })).status).toBe(
    200,
  );
});

test("a server that sends thousands of requests gets few replies at a time", async () => {
  let open = 0;
  let most = 0;
  const pings = Array.from({ length: 2_000 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }));
  await using it = await served(
    ({ id, method }) =>
      method === "tools/call"
        ? stream([...pings, { jsonrpc: "2.0", id, result: { content: [] } }])
        : undefined,
    { sessions: true },
  );
  const { gate } = it.server.state;
  it.server.state.gate = async (request) => {
    const { method } = await request.clone().json();
    if (method !== undefined) return await gate?.(request);
    open += 1;
    most = Math.max(most, open);
    await Bun.sleep(100);
    open -= 1;
    return new Response(null, { status: 202 });
  };

  const { text } = await it.call();

  expect(text).toContain(`"content":[]`);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(10);
});

test("a caller gets at most 4 MiB of progress of a call, and its result", async () => {
  const message = "x".repeat(100);
  await using it = await served(({ id, method, params }) => {
    if (method !== "tools/call") return undefined;
    const progressToken = params?._meta?.progressToken;
    const sent = Array.from({ length: 6_000 }, (_, progress) => ({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken, progress, message },
    }));
    const result = { resultType: "complete", content: [{ type: "text", text: "done" }] };
    return stream([...sent, { jsonrpc: "2.0", id, result }]);
  });

  const { text } = await it.call({ _meta: { progressToken: "y".repeat(1000) } });

  expect(text.split("notifications/progress").length - 1).toBeGreaterThan(2_000);
  expect(text.length).toBeLessThan(5 * 1024 * 1024);
  expect(text).toContain("done");
});

test("a stream of very many line ends does not block other requests", async () => {
  const body = `${"\r".repeat(4 * 1024 * 1024)}\n`;
  await using it = await served(({ method }) =>
    method === "tools/call"
      ? new Response(body, { headers: { "content-type": "text/event-stream" } })
      : undefined,
  );

  await it.call();
  const measure = async () => {
    const [longest, { text }, all] = await measureLongestTurn(() => it.call());
    expect(text).toContain("The server closed the stream before its response.");
    return longest / all;
  };

  expect(await minOfRuns(measure, 0.3)).toBeLessThan(0.3);
});

test("an authorization server whose metadata has very many values does not block other requests", async () => {
  await using vendor = await startVendor(await kitOf());
  vendor.auth.state.metadata = { response_types_supported: Array(100_000).fill("code") };

  const [longest, { reply }] = await measureLongestTurn(() => vendor.leave("alice"));

  expect(reply.status).toBe(502);
  expect(longest).toBeLessThan(MAX_TURN_MS);
});

test("large results that arrive together are parsed in turns, with other requests between them", async () => {
  const text = "The quick brown fox jumps.\n".repeat(300_000);
  const result = JSON.stringify({ resultType: "complete", content: [{ type: "text", text }] });
  await using it = await served(({ id, method }) =>
    method === "tools/call" ? json(id, result) : undefined,
  );
  await it.call();
  const measure = async () => {
    const calls = () => Promise.all(Array.from({ length: 6 }, () => it.call()));
    const [longest, results, all] = await measureLongestTurn(calls);
    for (const one of results) expect(one.text).not.toContain("isError");
    return longest / all;
  };

  expect(await minOfRuns(measure, 0.3)).toBeLessThan(0.3);
});
