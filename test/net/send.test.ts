import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { gunzipSync, gzipSync } from "node:zlib";
import { createAddressCache } from "../../src/net/address-cache.ts";
import { createSend, type OutboundRequest } from "../../src/net/send.ts";
import { toResponse } from "../kit/to-response.ts";
import { startUnresponsiveServer } from "../kit/unresponsive-server.ts";
import { OTHER, UPSTREAM } from "./certificates.ts";

const servers: { stop(): unknown }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.stop())));

function serve(fetch: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 60, fetch });
  servers.push({ stop: () => server.stop(true) });
  return `http://127.0.0.1:${server.port}`;
}

/** A raw socket server for invalid responses. */
async function listen(onRequest: (socket: Socket, head: string, count: number) => void) {
  const closed: Promise<unknown>[] = [];
  let count = 0;
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => onRequest(socket, chunk.toString("latin1"), ++count));
    socket.once("data", () => closed.push(new Promise((resolve) => socket.on("close", resolve))));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push({ stop: () => server.close() });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, closed };
}

const echo = async (request: Request) => new Response(await request.text());

const hosts: Record<string, string[]> = {
  "upstream.test": ["127.0.0.1"],
  "other.test": ["127.0.0.1"],
  "moves.test": ["127.0.0.1", "127.0.0.2"],
  "broken-first.test": ["127.0.0.9", "127.0.0.1"],
};
const lookup = async (hostname: string) => hosts[hostname] ?? [];
const sent = createSend({
  addresses: createAddressCache({ lookup }),
  maxConnectMs: 400,
  ca: [UPSTREAM.cert, OTHER.cert],
});
const send = async (request: OutboundRequest) => toResponse(await sent(request));

const ask = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  method: "GET",
  headers: {},
  allow_private: true,
  timeouts: { headers_ms: 5000, idle_ms: 30_000 },
  ...more,
});
const post = (url: string, more: Partial<OutboundRequest> = {}) =>
  ask(url, { method: "POST", body: new TextEncoder().encode("{}"), ...more });

test("a request contains the given headers, a Host and our user agent", async () => {
  const { url } = await listen((socket, head) => {
    socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${head.length}\r\n\r\n${head}`);
  });

  const reply = await send(post(`${url}/v1/a%2Fb?x=1&y=%20#part`, { headers: { "x-a": "b" } }));

  const [line, ...headers] = (await reply.text()).toLowerCase().split("\r\n");
  expect(line).toBe("post /v1/a%2fb?x=1&y=%20 http/1.1");
  expect(headers.sort()).toEqual(
    [
      "",
      "accept-encoding: identity",
      "accept: */*",
      "content-length: 2",
      `host: ${new URL(url).host}`,
      "user-agent: portcullis",
      "x-a: b",
      "{}",
    ].sort(),
  );
});

test("header names are case-insensitive, and the last value counts", async () => {
  const url = serve(({ headers }) => new Response(headers.get("authorization")));

  const reply = await send(ask(url, { headers: { authorization: "one", Authorization: "two" } }));

  expect(await reply.text()).toBe("two");
});

test.each([
  ["?a=/b", "/?a=/b"],
  ["?a=/../b", "/?a=/../b"],
  ["#/part", "/"],
  ["\\a/b", "/a/b"],
  ["/ü/%e4?ü='x'", "/%C3%BC/%e4?%C3%BC=%27x%27"],
  ["//host/x", "//host/x"],
])("the path %s is requested as %s", async (rest, path) => {
  const { url } = await listen((socket, head) => {
    const target = head.split(" ", 2)[1] ?? "";
    socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${target}`);
  });

  expect(await (await send(ask(url + rest))).text()).toBe(path);
});

test("credentials in a URL are not sent, and an invalid URL is rejected", async () => {
  const { url } = await listen((socket, head) => {
    socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${head}`);
  });

  const head = await (await send(ask(url.replace("//", "//user:s3cret@")))).text();
  expect(head).toContain(`host: ${new URL(url).host}\r\n`);
  expect(head.toLowerCase()).not.toMatch(/authorization|s3cret|@/);

  for (const wrong of [
    "nonsense",
    "http://",
    "http://a b/",
    "ftp://upstream.test/",
    "http://h:x/",
  ]) {
    await expect(send(ask(wrong))).rejects.toMatchObject({ code: "upstream_address_refused" });
  }
});

test("a redirect is returned, not followed", async () => {
  const followed: string[] = [];
  const elsewhere = serve((request) => {
    followed.push(request.url);
    return new Response("followed");
  });
  const url = serve(() => Response.redirect(elsewhere, 307));

  const reply = await send(post(url));

  expect(reply.status).toBe(307);
  expect(reply.headers.get("location")).toStartWith(elsewhere);
  expect(followed).toEqual([]);
});

test("a compressed response stays compressed and keeps its header", async () => {
  const zipped = gzipSync("hello");
  const url = serve(() => new Response(zipped, { headers: { "content-encoding": "gzip" } }));

  const reply = await send(ask(url));

  expect(reply.headers.get("content-encoding")).toBe("gzip");
  expect(gunzipSync(await reply.bytes()).toString()).toBe("hello");
});

test("a cookie of an upstream is not sent back", async () => {
  const url = serve((request) => {
    const headers = { "set-cookie": "session=1", "x-got": request.headers.get("cookie") ?? "none" };
    return new Response("", { headers });
  });

  await send(ask(url));
  const reply = await send(ask(url));

  expect(reply.headers.get("x-got")).toBe("none");
});

test("addresses of a private registry are not used for a public one", async () => {
  const port = new URL(serve(() => new Response("inside"))).port;
  const url = `http://upstream.test:${port}`;

  expect(await (await send(ask(url))).text()).toBe("inside");
  await expect(send(ask(url, { allow_private: false }))).rejects.toMatchObject({
    code: "upstream_address_refused",
  });
});

test("the next address is dialed when the first accepts no connection", async () => {
  const port = new URL(serve((request) => new Response(request.headers.get("host")))).port;

  const reply = await send(post(`http://broken-first.test:${port}/`));

  expect(await reply.text()).toBe(`broken-first.test:${port}`);
});

test("a refused connection is unreachable, and the body can be resent", async () => {
  const url = serve(echo);
  const body = new Blob(["still here"]).stream();

  const refused = send(post("http://127.0.0.1:1", { body, content_length: 10 }));
  await expect(refused).rejects.toMatchObject({ code: "upstream_unreachable", status: 502 });
  const reply = await send(post(url, { body, content_length: 10 }));

  expect(await reply.text()).toBe("still here");
});

test("when an upstream stops, its next address is dialed", async () => {
  const first = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("first") });
  const port = first.port ?? 0;
  await using _second = Bun.serve({ port, hostname: "127.0.0.2", fetch: echo });
  const body = new Blob(["second"]).stream();
  const request = post(`http://moves.test:${port}`, { body, content_length: 6 });

  expect(await (await send(ask(request.url))).text()).toBe("first");
  await first.stop(true);
  await Bun.sleep(200); // until the end of the kept connection has come

  expect(await (await send(request)).text()).toBe("second");
});

test("a missing response is a timeout, and the upstream sees the connection close", async () => {
  const { url, closed } = await listen(() => {});

  const late = send(post(url, { timeouts: { headers_ms: 100, idle_ms: 30_000 } }));

  await expect(late).rejects.toMatchObject({ code: "upstream_timeout", status: 504 });
  await closed[0];
});

test("the response timeout starts after a slow upload", async () => {
  const url = serve(echo);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async start(controller) {
      for (const letter of "slow") {
        await Bun.sleep(400);
        controller.enqueue(new TextEncoder().encode(letter));
      }
      controller.close();
    },
  });

  const reply = await send(
    post(url, { body, content_length: 4, timeouts: { headers_ms: 1200, idle_ms: 30_000 } }),
  );

  expect(await reply.text()).toBe("slow");
});

test("a response that starts during the upload is not truncated", async () => {
  const { url } = await listen(async (socket, _, count) => {
    if (count > 1) return;
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nearly");
    await Bun.sleep(1300);
    socket.write("late");
  });
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async start(controller) {
      controller.enqueue(new Uint8Array(2));
      await Bun.sleep(60);
      controller.enqueue(new Uint8Array(2));
      controller.close();
    },
  });

  const reply = await send(
    post(url, { body, content_length: 4, timeouts: { headers_ms: 1000, idle_ms: 30_000 } }),
  );

  expect(await reply.text()).toBe("earlylate");
});

test("a response that starts during the upload and then stalls times out", async () => {
  const { url, closed } = await listen((socket, _, count) => {
    if (count === 1) socket.write("HTTP/1.1 413 No\r\ncontent-length: 9\r\n\r\nhalf");
  });
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async start(controller) {
      controller.enqueue(new Uint8Array(2));
      await Bun.sleep(60);
      controller.enqueue(new Uint8Array(2));
      controller.close();
    },
  });

  const silent = send(
    post(url, { body, content_length: 4, timeouts: { headers_ms: 30_000, idle_ms: 100 } }),
  );

  await expect(silent).rejects.toMatchObject({ code: "upstream_timeout" });
  await closed[0];
});

test("a connection that breaks before the response is a failure without a retry", async () => {
  const seen: number[] = [];
  const { url } = await listen((socket, _, count) => {
    seen.push(count);
    if (count === 1) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    else socket.destroy();
  });

  await (await send(post(url))).text();
  const broken = send(post(url));

  await expect(broken).rejects.toMatchObject({
    code: "upstream_failed",
    message: "The upstream closed the connection or sent an invalid response.",
  });
  expect(seen).toEqual([1, 2]);
});

test("a truncated response fails during the read", async () => {
  const { url } = await listen((socket) => {
    socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n");
  });

  const reply = await send(ask(url));

  await expect(reply.text()).rejects.toThrow();
});

test("aborting ends a call that waits for its response", async () => {
  const { url, closed } = await listen(() => abort.abort());
  const abort = new AbortController();

  const cancelled = send(post(url, { signal: abort.signal }));

  await expect(cancelled).rejects.toMatchObject({ message: "The request was canceled." });
  await closed[0];
});

test("aborting ends a streaming response", async () => {
  const { url, closed } = await listen((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\nhalf");
  });
  const abort = new AbortController();

  const reply = await send(ask(url, { signal: abort.signal }));
  abort.abort();

  await expect(reply.text()).rejects.toThrow();
  await closed[0];
});

test("an aborted signal sends nothing", async () => {
  const { url, closed } = await listen(() => {});

  await expect(send(ask(url, { signal: AbortSignal.abort() }))).rejects.toThrow("canceled");

  expect(closed).toEqual([]);
});

test("a failing source is the client's error, and the upstream never gets a complete body", async () => {
  const url = serve(echo);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(new Uint8Array(10)),
    pull: (controller) => controller.error(new Error("client went away")),
  });

  const broken = send(post(url, { body, content_length: 100 }));

  await expect(broken).rejects.toMatchObject({
    code: "invalid_request",
    cause: new Error("client went away"),
  });
});

const MiB = 1024 * 1024;

/** Measures how far a generated body runs ahead of a slow server. */
function slowUpload(size: number) {
  const progress = { made: 0, taken: 0, ahead: 0 };
  const chunk = new Uint8Array(64 * 1024);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        if (progress.made === size) return controller.close();
        progress.made += chunk.length;
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  const url = serve(async (request) => {
    for await (const piece of request.body ?? []) {
      const rest = Math.floor((progress.taken + piece.length) / MiB) > progress.taken / MiB;
      progress.taken += piece.length;
      progress.ahead = Math.max(progress.ahead, progress.made - progress.taken);
      if (rest) await Bun.sleep(1);
    }
    return new Response(request.headers.get("content-length"));
  });
  return { url, body, progress };
}

test("an upload of 100 MB has its exact length and never runs far ahead of a slow upstream", async () => {
  const size = 100 * MiB;
  const { url, body, progress } = slowUpload(size);

  const reply = await send(post(url, { body, content_length: size }));

  expect(await reply.text()).toBe(String(size));
  expect(progress.taken).toBe(size);
  expect(progress.ahead).toBeLessThan(16 * MiB);
});

/** Returns the requested Host and the client's port. */
function serveTls(tls: Bun.TLSOptions[]): string {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls,
    fetch: (request, self) =>
      Response.json([request.headers.get("host"), self.requestIP(request)?.port]),
  });
  servers.push({ stop: () => server.stop(true) });
  return String(server.port);
}

test("TLS: the checked address is dialed under the name of the URL", async () => {
  const port = serveTls([UPSTREAM, OTHER]); // picks its certificate by the name in the handshake
  const call = async (name: string) => (await send(ask(`https://${name}:${port}/`))).json();

  const [host, connection] = await call("upstream.test");
  const [otherHost, otherConnection] = await call("other.test");

  expect(host).toBe(`upstream.test:${port}`);
  expect(otherHost).toBe(`other.test:${port}`);
  expect(otherConnection).not.toBe(connection); // one name's check never vouches for another
  expect(await call("upstream.test.")).toEqual([`upstream.test.:${port}`, connection]);
});

test("TLS: a certificate for another name is rejected before anything is sent", async () => {
  const port = serveTls([OTHER]);

  const refused = send(post(`https://upstream.test:${port}/`));

  await expect(refused).rejects.toMatchObject({
    code: "upstream_unreachable",
    cause: { code: "ERR_TLS_CERT_ALTNAME_INVALID" },
  });
});

test("TLS: an unknown authority is rejected regardless of the environment", async () => {
  const port = serveTls([UPSTREAM]);
  const strict = createSend({ addresses: createAddressCache({ lookup }) });
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";

  const refused = strict(post(`https://upstream.test:${port}/`)).finally(
    () => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED,
  );

  await expect(refused).rejects.toMatchObject({ code: "upstream_unreachable" });
});

test("calls to one upstream reuse their connection", async () => {
  const connections = new Set<number | undefined>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request, self) {
      connections.add(self.requestIP(request)?.port);
      return new Response("ok");
    },
  });
  servers.push({ stop: () => server.stop(true) });

  for (let i = 0; i < 50; i++) {
    await (await send(post(`http://upstream.test:${server.port}/`))).text();
  }

  expect(connections.size).toBe(1);
});

test("a connect that hangs is unreachable after its timeout, because nothing was sent", async () => {
  await using deaf = await startUnresponsiveServer(10_000);
  const started = performance.now();

  await expect(send(ask(`http://127.0.0.1:${deaf.port}`))).rejects.toMatchObject({
    code: "upstream_unreachable",
  });

  expect(performance.now() - started).toBeWithin(390, 3000);
});
