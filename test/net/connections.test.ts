/** Our HTTP client against raw socket servers: responses are complete and never mixed up, for every chunking. */

import { heapStats } from "bun:jsc";
import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createSend } from "../../src/net/send.ts";
import { seeded } from "../kit/random.ts";
import { toResponse } from "../kit/to-response.ts";
import { until } from "../kit/until.ts";
import { ask, listenForRequests } from "./raw-server.ts";

const stops: (() => unknown)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

async function listen(onRequest: (socket: Socket, path: string) => void) {
  const server = await listenForRequests(onRequest);
  stops.push(() => server[Symbol.asyncDispose]());
  return server;
}

const random = seeded(7);

/** Creates a response to `/name` that contains the name, with one of the framings. */
function responseTo(name: string): { text: string; body: string; closes: boolean } {
  const { below, pick } = random;
  const body = `${name} ${"x\r\n0\r\n\r\n".repeat(below(4))}${"y".repeat(pick([0, 3, 5000, 200_000]))}`;
  const before = pick([
    "",
    "",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 103 Early\r\na: b\r\n\r\n",
  ]);
  const kind = pick(["length", "length", "chunked", "close"] as const);
  const says = {
    length: `content-length: ${body.length}\r\n\r\n${body}`,
    chunked: `transfer-encoding: chunked\r\n\r\n${chunked(body)}`,
    close: `\r\n${body}`,
  };
  const closes = kind === "close" || below(5) === 0;
  const close = closes ? "connection: close\r\n" : "";
  return { text: `${before}HTTP/1.1 200 OK\r\n${close}${says[kind]}`, body, closes };
}

function chunked(body: string): string {
  let text = "";
  for (let at = 0; at < body.length; ) {
    const size = 1 + random.below(50_000);
    const chunk = body.slice(at, at + size);
    text += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
    at += size;
  }
  return `${text}0\r\n\r\n`;
}

async function writeInPieces(socket: Socket, text: string, closes: boolean): Promise<void> {
  const most = random.pick([3, 50, 4000, 1e6]);
  // A head byte by byte shows what there is to see; the rest may go faster.
  for (let at = 0; at < text.length; ) {
    const size = at > 300 ? Math.max(most, 4000) : 1 + random.below(most);
    socket.write(text.slice(at, at + size), "latin1");
    at += size;
    if (random.below(2)) await new Promise(setImmediate);
  }
  if (closes) socket.end();
}

test("a thousand responses with all framings and chunkings are complete and match their requests", async () => {
  const bodies = new Map<string, string>();
  const { url, seen } = await listen((socket, path) => {
    const { text, body, closes } = responseTo(path);
    bodies.set(path, body);
    writeInPieces(socket, text, closes);
  });
  const send = createSend();
  let sent = 0;
  const askOn = async () => {
    while (sent < 1000) {
      const path = `/${sent++}`;
      const reply = await send(ask(url + path));
      // Some are abandoned: the rest of such a response must reach no other request.
      if (random.below(10) === 0) reply.cancel();
      else expect((await toResponse(reply).text()) === bodies.get(path)).toBe(true);
    }
  };

  await Promise.all(Array.from({ length: 8 }, askOn));

  expect(seen.connections).toBeWithin(8, 900);
});

test.each([
  ["bytes after its response", "content-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n"],
  [
    "both a length and chunks",
    "content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
  ],
  ["the wish to close", "connection: close\r\ncontent-length: 2\r\n\r\nok"],
  ["no time to keep it", "keep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok"],
])("a connection with %s is not used again", async (_, rest) => {
  const { url, seen } = await listen((socket) => socket.write(`HTTP/1.1 200 OK\r\n${rest}`));
  const send = createSend();

  for (let i = 0; i < 3; i++) {
    expect(await toResponse(await send(ask(url))).text()).toBe("ok");
  }

  expect(seen.connections).toBe(3);
});

test("unsolicited bytes close an idle connection", async () => {
  const { url, seen } = await listen((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    setTimeout(() => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil"), 20);
  });
  const send = createSend();

  for (let i = 0; i < 3; i++) {
    expect(await toResponse(await send(ask(url))).text()).toBe("ok");
    await until(() => seen.open.size === 0);
  }

  expect(seen.connections).toBe(3);
});

test("an unread response applies back-pressure and is complete afterwards", async () => {
  const size = 64 * 1024 * 1024;
  let written = 0;
  const { url } = await listen(async (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
    const piece = Buffer.alloc(64 * 1024);
    while (written < size) {
      written += piece.length;
      if (!socket.write(piece)) await once(socket, "drain");
    }
  });

  const reply = await createSend()(ask(url));
  await Bun.sleep(300);
  expect(written).toBeLessThan(size / 2);
  let read = 0;
  for (let chunk = await reply.read(); chunk; chunk = await reply.read()) read += chunk.length;

  expect(read).toBe(size);
});

test("a response that stalls times out", async () => {
  const { url } = await listen((socket) =>
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n"),
  );

  const reply = await createSend()(ask(url, { timeouts: { headers_ms: 5000, idle_ms: 150 } }));
  await reply.read();

  await expect(reply.read()).rejects.toMatchObject({
    code: "upstream_timeout",
    message: "The upstream stopped sending.",
  });
});

test("an upstream that does not read times out", async () => {
  const server = createServer((socket) => socket.pause().on("error", () => {}));
  await once(server.listen(0, "127.0.0.1"), "listening");
  stops.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const body = new Uint8Array(32 * 1024 * 1024);
  const timeouts = { headers_ms: 60_000, idle_ms: 200 };

  const stuck = createSend()(ask(url, { method: "POST", body, timeouts }));

  await expect(stuck).rejects.toMatchObject({ code: "upstream_timeout" });
});

test.each([
  ["shorter", 5, "abc"],
  ["longer", 2, "abc"],
])(
  "a body %s than its length never becomes a complete request",
  async (_, content_length, text) => {
    let got = "";
    const server = createServer((socket) => {
      socket.on("data", (chunk) => {
        got += chunk.toString("latin1");
      });
      socket.on("error", () => {});
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    stops.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const body = new Blob([text]).stream();

    const sent = createSend()(ask(url, { method: "POST", body, content_length }));

    await expect(sent).rejects.toMatchObject({ code: "invalid_request" });
    expect(got.split("\r\n\r\n")[1]?.length ?? 0).not.toBe(content_length);
  },
);

test("a body of unknown length is sent chunked", async () => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) =>
      Response.json([request.headers.get("content-length"), await request.text()]),
  });
  stops.push(() => server.stop(true));
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async start(controller) {
      for (const piece of ["one ", "", "two"]) {
        controller.enqueue(new TextEncoder().encode(piece));
        await Bun.sleep(5);
      }
      controller.close();
    },
  });

  const reply = await createSend()(ask(String(server.url), { method: "POST", body }));

  expect(await toResponse(reply).json()).toEqual([null, "one two"]);
});

test("a response that completes before the upload ends the upload and releases the source", async () => {
  const { url, seen } = await listen((socket) =>
    socket.write("HTTP/1.1 413 No\r\ncontent-length: 2\r\n\r\nno"),
  );
  const cancelled = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: () => new Promise(() => {}),
    cancel: () => cancelled.resolve(),
  });

  const reply = await createSend()(ask(url, { method: "POST", body, content_length: 10 }));

  expect(reply.status).toBe(413);
  await cancelled.promise;
  await until(() => seen.open.size === 0);
});

test("uploads that ended early release their memory", async () => {
  const { url } = await listen((socket) =>
    socket.write("HTTP/1.1 413 No\r\nconnection: close\r\ncontent-length: 2\r\n\r\nno"),
  );
  const send = createSend();
  const readers = () => {
    Bun.gc(true);
    return heapStats().objectTypeCounts.ReadableStreamDefaultReader ?? 0;
  };
  const before = readers();

  for (let i = 0; i < 200; i++) {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({ pull: () => new Promise(() => {}) });
    await send(ask(url, { method: "POST", body, content_length: 10 }));
  }
  await Bun.sleep(20);

  expect(readers() - before).toBeLessThan(50);
});

test("idle connections do not keep the process alive", async () => {
  const { url } = await listen((socket) =>
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
  );
  const program = `
    import { createSend } from ${JSON.stringify(Bun.resolveSync("../../src/net/send.ts", import.meta.dir))};
    const reply = await createSend()(${JSON.stringify(ask(url))});
    console.log(reply.status);`;

  const child = Bun.spawn([process.execPath, "-e", program], { timeout: 10_000 });

  expect(await child.exited).toBe(0);
});
