/** Hostile responses fail quickly, with a logged reason, and affect no other request. */
import { expect, test } from "bun:test";
import { createAddressCache } from "../../src/net/address-cache.ts";
import { createSend } from "../../src/net/send.ts";
import { toResponse } from "../kit/to-response.ts";
import { until } from "../kit/until.ts";
import { UPSTREAM } from "./certificates.ts";
import { ask, listenForRequests } from "./raw-server.ts";

const addresses = createAddressCache({ lookup: async () => ["127.0.0.1"] });
const send = createSend({ addresses, ca: [UPSTREAM.cert] });
const SOON = { timeouts: { headers_ms: 20_000, idle_ms: 20_000 } };

test.each([
  ["lines without carriage return", "HTTP/1.1 200 OK\ncontent-length: 2\n\nok"],
  ["a banner of another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["frames of HTTP/2", "\0\0\x12\x04\0\0\0\0\0"],
  ["a head without end", `HTTP/1.1 200 OK\r\nx: ${"a".repeat(70_000)}`],
  ["a switch of protocols", "HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n"],
  ["endless informational responses", "HTTP/1.1 103 Early\r\na: b\r\n\r\n".repeat(5000)],
])("%s fails immediately, with a logged reason", async (_, text) => {
  await using server = await listenForRequests((socket) => socket.write(text, "latin1"));

  const failed = await send(ask(server.url, SOON)).catch((error) => error);

  expect(failed).toMatchObject({
    code: "upstream_failed",
    message: "The upstream closed the connection or sent an invalid response.",
    cause: expect.any(Error),
  });
  await until(() => server.seen.open.size === 0);
});

test("an invalid body fails where it is invalid, with a logged reason", async () => {
  await using server = await listenForRequests((socket) =>
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\nnonsense\r\n"),
  );

  await expect(send(ask(server.url, SOON))).rejects.toMatchObject({
    code: "upstream_failed",
    cause: expect.any(Error),
  });
});

test("a short response that trickles is accepted while more of it arrives", async () => {
  await using server = await listenForRequests(async (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n");
    for (const letter of "slowly") {
      await Bun.sleep(250);
      socket.write(letter);
    }
  });

  const reply = await send(ask(server.url, { timeouts: { headers_ms: 1000, idle_ms: 1000 } }));

  expect(await toResponse(reply).text()).toBe("slowly");
});

test.each([
  ["HEAD with a length", "HEAD", "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n", 1],
  ["304 with a length", "GET", "HTTP/1.1 304 Same\r\ncontent-length: 1000\r\n\r\n", 1],
  ["204", "GET", "HTTP/1.1 204 None\r\n\r\n", 1],
  // Their announced body would be read as the next response.
  ["204 with a length", "GET", "HTTP/1.1 204 None\r\ncontent-length: 3\r\n\r\n", 3],
  ["204 in chunks", "GET", "HTTP/1.1 204 None\r\ntransfer-encoding: chunked\r\n\r\n", 3],
  ["HEAD with a body", "HEAD", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", 3],
  ["words in capitals", "GET", "HTTP/1.1 204 None\r\nConnection: Keep-Alive\r\n\r\n", 1],
  ["Close in capitals", "GET", "HTTP/1.1 204 None\r\nConnection: foo, CLOSE\r\n\r\n", 3],
])("%s: connections used by three responses without a body", async (_, method, text, count) => {
  await using server = await listenForRequests((socket) => socket.write(text));

  for (let i = 0; i < 3; i++) {
    expect((await send(ask(server.url, { method }))).whole).toHaveLength(0);
  }

  expect(server.seen.connections).toBe(count);
});

test.each([
  ["without", undefined],
  ["with", UPSTREAM],
])(
  "a response that ends with its connection is complete for a slow reader, %s TLS",
  async (_, tls) => {
    const size = 3_000_000;
    await using server = await listenForRequests((socket) => {
      socket.end(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\n\r\n"), Buffer.alloc(size)]));
    }, tls);

    const reply = await send(ask(server.url.replace("127.0.0.1", "upstream.test")));
    await Bun.sleep(100); // meanwhile all of it has been sent, and the end behind it
    let read = 0;
    for (let chunk = await reply.read(); chunk; chunk = await reply.read()) {
      read += chunk.length;
      await Bun.sleep(1);
    }

    expect(read).toBe(size);
  },
);

test("a response that ends with a connection reset is incomplete", async () => {
  await using server = await listenForRequests((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\nhalf");
    setTimeout(() => socket.resetAndDestroy(), 20);
  });

  const reply = await send(ask(server.url));

  await expect(toResponse(reply).text()).rejects.toThrow("closed the connection");
});

test("a connection that was paused for a slow reader serves the next request", async () => {
  // One more than is read ahead: its last byte is what holds the connection back, in however many pieces it comes.
  const size = 64 * 1024 + 1;
  let sent = Promise.withResolvers<void>();
  const used: { large?: object; next?: object } = {};
  let served = 0;
  await using server = await listenForRequests(async (socket, path) => {
    used[path === "/large" ? "large" : "next"] = socket;
    const body = path === "/large" ? "x".repeat(size) : "ok";
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
    await Bun.sleep(10);
    socket.write(body, () => sent.resolve());
  });

  for (let i = 0; i < 5; i++) {
    sent = Promise.withResolvers();
    const large = await send(ask(`${server.url}/large`));
    await sent.promise;
    await Bun.sleep(40);
    expect(await toResponse(await send(ask(server.url))).text()).toBe("ok");
    if (used.next === used.large) served += 1;
    expect((await toResponse(large).text()).length).toBe(size);
  }

  // On a busy machine the last byte may come after the next request has gone elsewhere.
  expect(served).toBeGreaterThan(0);
});

test("canceling a completely read response does not affect the next one on its connection", async () => {
  await using server = await listenForRequests((socket, path) => {
    const body = "x".repeat(path === "/slow" ? 100_000 : 100_001);
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(50_000)}`);
    setTimeout(() => socket.write(body.slice(0, 50_000)), 30);
  });
  const abort = new AbortController();

  const first = await send(ask(server.url, { signal: abort.signal }));
  await toResponse(first).text();
  const second = await send(ask(`${server.url}/slow`));
  first.cancel();
  abort.abort();

  expect((await toResponse(second).text()).length).toBe(100_000);
  expect(server.seen.connections).toBe(1);
});

test("events arrive as they are sent, and their connection is reused", async () => {
  let written = 0;
  await using server = await listenForRequests(async (socket) => {
    socket.write(
      "HTTP/1.1 200 OK\r\ncontent-type: Text/Event-Stream\r\ncontent-length: 30\r\n\r\n",
    );
    for (written = 0; written < 3; written++) {
      await Bun.sleep(40);
      socket.write("data: 1234");
    }
  });

  for (let i = 0; i < 2; i++) {
    const reply = await send(ask(server.url));
    expect(written).toBe(0);
    const seen: number[] = [];
    for (let chunk = await reply.read(); chunk; chunk = await reply.read()) seen.push(written);
    expect(seen).toEqual([1, 2, 3]);
  }

  expect(server.seen.connections).toBe(1);
});

test("a hundred thousand tiny chunks take linear time without recursion", async () => {
  const count = 100_000;
  await using server = await listenForRequests((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    socket.write(`${"1\r\nx\r\n".repeat(count)}0\r\n\r\n`);
  });
  const started = performance.now();

  const reply = await send(ask(server.url));
  let read = 0;
  for (let chunk = await reply.read(); chunk; chunk = await reply.read()) read += chunk.length;

  expect(read).toBe(count);
  expect(performance.now() - started).toBeLessThan(3000);
});
