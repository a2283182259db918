/** Upstreams and clients that send a body in very many chunks. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { connect, createServer } from "node:net";
import { post } from "../kit/mcp-client.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { readPeakMiB } from "../kit/peak-memory.ts";
import { startProgram } from "../kit/program.ts";

setDefaultTimeout(60_000);

const TEXT = "x".repeat(4 * 1024 * 1024);
const RESULTS: Record<string, object> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "bytewise", version: "1" },
  },
  "tools/list": { tools: [{ name: "read", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: TEXT }] },
};

/** An MCP server that sends each byte of a result as a chunk. */
async function startBytewiseServer() {
  const server = createServer((socket) => {
    let received = "";
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      const [head = "", body = ""] = received.split("\r\n\r\n");
      if (body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return;
      received = "";
      const { id, method } = JSON.parse(body);
      socket.write(respond(id, RESULTS[method]), "latin1");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/mcp`, [Symbol.dispose]: () => void server.close() };
}

function respond(id: number | undefined, result: object | undefined): string {
  if (id === undefined) return "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
  if (!result) return "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
  const chunks = JSON.stringify({ jsonrpc: "2.0", id, result }).replaceAll(/./g, "1\r\n$&\r\n");
  const type = "content-type: application/json\r\ntransfer-encoding: chunked";
  return `HTTP/1.1 200 OK\r\n${type}\r\n\r\n${chunks}0\r\n\r\n`;
}

test("a result in chunks of one byte takes no more memory than one in larger chunks", async () => {
  using server = await startBytewiseServer();
  await using program = await startProgram();
  const store = await makeMcpStore(program);
  await store.install("alice", (await store.serve("Bytes", server.url)).code);
  const headers = { authorization: `Bearer ${await store.token("alice")}` };
  const send = async (method: string, params: object) =>
    await (await post(store.url, headers, { jsonrpc: "2.0", id: 1, method, params })).text();
  expect(await send("tools/list", {})).toContain("bytes__read");
  const before = readPeakMiB(program.child.pid);

  const text = await send("tools/call", { name: "bytes__read", arguments: {} });

  expect(text).toContain(TEXT);
  expect(readPeakMiB(program.child.pid) - before).toBeLessThan(200);
});

/** Sends each byte of a body as a chunk. Returns the beginning of the response. */
function postBytewise(url: string, authorization: string, body: string): Promise<string> {
  const { hostname, port, pathname, host } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname);
  socket.once("data", (bytes) => resolve(bytes.toString("latin1")));
  socket.once("error", reject);
  const types = "content-type: application/json\r\naccept: application/json, text/event-stream";
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${authorization}\r\n${types}`;
  const chunks = body.replaceAll(/./g, "1\r\n$&\r\n");
  socket.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
  return promise.finally(() => socket.destroy());
}

test("a request in chunks of one byte takes no more memory than one in larger chunks", async () => {
  await using program = await startProgram();
  const store = await makeMcpStore(program);
  const params = { name: "store_status", arguments: { text: "x".repeat(2 * 1024 * 1024) } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const authorization = `Bearer ${await store.token("alice")}`;
  const before = readPeakMiB(program.child.pid);

  const reply = await postBytewise(store.url, authorization, body);

  expect(reply).toStartWith("HTTP/1.1 200 OK");
  expect(readPeakMiB(program.child.pid) - before).toBeLessThan(150);
});
