/** Requests of both eras of MCP on the wire. Plain ones are served without the SDK, which serves all others. */
import { expect, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { clientKinds, post } from "../kit/mcp-client.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";

const kitOf = sharedKit();

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const VERSION = { "mcp-protocol-version": "2026-07-28" };

/** Alice, with one installed server that has these tools. */
async function installed(tools?: Parameters<typeof startMcpServer>[0]) {
  const server = startMcpServer(tools);
  const store = await makeMcpStore(await kitOf());
  await store.install("alice", (await store.serve("Tickets", server.url)).code);
  const authorization = `Bearer ${await store.token("alice")}`;
  return {
    server,
    store,
    send: (message: unknown, headers: Record<string, string> = {}) =>
      post(store.url, { authorization, ...headers }, message),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const call = (params: object, more: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "tickets__echo", ...params },
  ...more,
});

/** Returns the message of a response, as JSON or as the only event of a stream. */
async function readRpc(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}

test.each([
  ["tools/call", "2025", {}, {}],
  ["tools/list", "2025", {}, {}],
  ["tools/call", "2026", ENVELOPE, { ...VERSION, "mcp-method": "tools/call" }],
  ["tools/list", "2026", ENVELOPE, { ...VERSION, "mcp-method": "tools/list" }],
])("the result of %s is the same with and without progress, %s", async (method, _, meta, more) => {
  await using it = await installed();
  const name = method === "tools/call" ? { name: "tickets__echo", arguments: { a: 1 } } : {};
  const headers = {
    ...more,
    ...(name.name !== undefined && "mcp-method" in more ? { "mcp-name": name.name } : {}),
  };
  const send = async (_meta: object) =>
    await readRpc(
      await it.send({ jsonrpc: "2.0", id: "x", method, params: { ...name, _meta } }, headers),
    );

  const plain = await send(meta);
  const withProgress = await send({ ...meta, progressToken: 1 });

  expect(plain).toEqual(withProgress);
  expect(plain).toMatchObject({ jsonrpc: "2.0", id: "x", result: expect.anything() });
});

const MODERN = { ...VERSION, "mcp-method": "tools/call", "mcp-name": "tickets__echo" };
const modern = (meta: object = ENVELOPE) => call({ _meta: meta });

test.each<[string, object, Record<string, string>, number, number]>([
  ["arguments that are a list", call({ arguments: [1] }), {}, 200, -32602],
  ["a name that is a number", call({ name: 7 }), {}, 200, -32602],
  ["an id that is a fraction", call({}, { id: 1.5 }), {}, 400, -32600],
  ["another member", call({}, { extra: 1 }), {}, 400, -32600],
  ["another version of JSON-RPC", call({}, { jsonrpc: "1.0" }), {}, 400, -32600],
  ["an unknown revision", call({}), { "mcp-protocol-version": "2020-01-01" }, 400, -32000],
  ["only one media type", call({}), { accept: "application/json" }, 406, -32000],
  ["the revision of 2026 only in a header", call({}), MODERN, 400, -32602],
  ["the method of another request", modern(), { ...MODERN, "mcp-method": "ping" }, 400, -32020],
  ["the name of another tool", modern(), { ...MODERN, "mcp-name": "other" }, 400, -32020],
  ["no name in a header", modern(), { ...VERSION, "mcp-method": "tools/call" }, 400, -32020],
  ["no revision in a header", modern(), { "mcp-method": "tools/call" }, 400, -32020],
  [
    "capabilities that are a list",
    modern({ ...ENVELOPE, "io.modelcontextprotocol/clientCapabilities": [] }),
    MODERN,
    400,
    -32602,
  ],
  [
    "a client without a name",
    modern({ ...ENVELOPE, "io.modelcontextprotocol/clientInfo": {} }),
    MODERN,
    400,
    -32602,
  ],
])("a call with %s is rejected", async (_, message, headers, status, code) => {
  await using it = await installed();

  const response = await it.send(message, headers);

  expect(response.status).toBe(status);
  expect(await readRpc(response)).toMatchObject({ error: { code } });
  expect(it.server.calls).toHaveLength(0);
});

test.concurrent("a call that takes seconds becomes a stream with comments, until its result", async () => {
  await using it = await installed({ tools: [{ name: "echo", call: () => Bun.sleep(2500) }] });
  const began = performance.now();

  const response = await it.send(call({}));

  expect(performance.now() - began).toBeLessThan(2400);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const text = await response.text();
  expect(text).toStartWith(": keepalive\n\n");
  expect(await readRpc(new Response(text))).toMatchObject({ id: 1, result: { content: [{}] } });
});

test.concurrent("a canceled call that became a stream ends without a result", async () => {
  const slow = Promise.withResolvers<void>();
  await using it = await installed({ tools: [{ name: "echo", call: () => slow.promise }] });
  const session = { "mcp-session-id": "s1" };
  const response = await it.send(call({}), session);

  const params = { requestId: 1 };
  await it.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }, session);

  expect(await response.text()).toBe(": keepalive\n\n");
  slow.resolve();
});

test.each(clientKinds)(
  "structured content that is a list reaches the %s client in a form it accepts",
  async (kind) => {
    const content = [{ type: "text", text: "[1]" }];
    const result = { content, structuredContent: [1] };
    await using it = await installed({ tools: [{ name: "echo", call: () => result }] });
    await using client = await it.store.client("alice", kind);
    const expected = kind === "2026-07-28" ? [1] : { result: [1] };

    const plain = await client.call("tickets__echo");
    const withProgress = await client.call("tickets__echo", {}, { onprogress: () => {} });

    expect(plain.structured).toEqual(expected as never);
    expect(withProgress.structured).toEqual(expected as never);
  },
);
