/** Opening connections: certificates, timeouts, cancellation and failures. */
import { expect, test } from "bun:test";
import { createAddressCache } from "../../src/net/address-cache.ts";
import { createSend } from "../../src/net/send.ts";
import { startUnresponsiveServer } from "../kit/unresponsive-server.ts";
import { until } from "../kit/until.ts";
import { OTHER, PLACES, UPSTREAM } from "./certificates.ts";
import { ask, listenForRequests, listenRaw } from "./raw-server.ts";

const addresses = createAddressCache({ lookup: async () => ["127.0.0.1"] });
const ca = [UPSTREAM.cert, OTHER.cert, PLACES.cert];
const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

test("TLS: a handshake that never ends is unreachable in time, and its connection is closed", async () => {
  await using server = await listenRaw((socket) => socket.resume());
  const send = createSend({ addresses, maxConnectMs: 200 });

  const waiting = send(ask(`https://upstream.test:${server.port}`));

  await expect(waiting).rejects.toMatchObject({
    code: "upstream_unreachable",
    cause: new Error("The connection timed out."),
  });
  await until(() => server.seen.open.size === 0);
  expect(server.seen.connections).toBe(1);
});

test("a connection that opens after its timeout is closed", async () => {
  await using late = await startUnresponsiveServer(600);
  const program = `
    import { createSend } from ${JSON.stringify(Bun.resolveSync("../../src/net/send.ts", import.meta.dir))};
    const send = createSend({ maxConnectMs: 200 });
    const call = ${JSON.stringify(ask(`http://127.0.0.1:${late.port}`))};
    for (const url of [call.url, call.url.replace("http", "https")]) {
      await send({ ...call, url }).catch(({ code }) => console.log(code));
    }
    await Bun.sleep(4000); // the system dials again after one second and after three
    console.log("done");`;

  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "pipe" });

  expect(await new Response(child.stderr).text()).toBe("");
  expect(await new Response(child.stdout).text()).toBe(
    "upstream_unreachable\nupstream_unreachable\ndone\n",
  );
}, 15_000);

test.each(["look-up", "dial"])(
  "aborting ends a call during its %s immediately",
  async (stage) => {
    await using server = await listenRaw((socket) => socket.resume());
    const never = createAddressCache({ lookup: () => new Promise(() => {}) });
    const send = createSend({
      addresses: stage === "dial" ? addresses : never,
      maxConnectMs: 3000,
    });
    const started = performance.now();

    const cancelled = send(
      ask(`https://upstream.test:${server.port}`, { signal: AbortSignal.timeout(50) }),
    );

    await expect(cancelled).rejects.toMatchObject({ code: "upstream_timeout" });
    expect(performance.now() - started).toBeLessThan(2000);
    // The dial goes on by itself, and fails unheard.
    if (stage === "dial") await until(() => server.seen.connections === 1);
    await until(() => server.seen.open.size === 0);
  },
  10_000,
);

test.each(["look-up", "dial"])(
  "a disconnected client ends the call during a %s",
  async (stage) => {
    await using server = await listenRaw((socket) => socket.resume());
    const never = createAddressCache({ lookup: () => new Promise(() => {}) });
    const send = createSend({
      addresses: stage === "dial" ? addresses : never,
      maxConnectMs: 3000,
    });
    const client = new Request("http://portcullis.test", { signal: AbortSignal.abort() });
    const started = performance.now();

    const cancelled = send(ask(`https://upstream.test:${server.port}`, { client }));

    await expect(cancelled).rejects.toThrow("canceled");
    expect(performance.now() - started).toBeLessThan(2000);
  },
  10_000,
);

test("nothing is sent over a new connection for a disconnected client", async () => {
  let requests = 0;
  await using server = await listenForRequests(() => {
    requests += 1;
  });
  const client = new Request("http://portcullis.test", { signal: AbortSignal.abort() });

  await expect(createSend()(ask(server.url, { client }))).rejects.toThrow("canceled");
  await Bun.sleep(20);

  expect(requests).toBe(0);
});

test("a connection dialed for an aborted call serves the next one", async () => {
  await using server = await listenForRequests((socket) => socket.write(OK));
  const found = Promise.withResolvers<string[]>();
  const send = createSend({ addresses: createAddressCache({ lookup: () => found.promise }) });
  const abort = new AbortController();
  const url = `http://upstream.test:${server.port}`;

  const cancelled = send(ask(url, { signal: abort.signal }));
  abort.abort();
  await expect(cancelled).rejects.toThrow("canceled");
  found.resolve(["127.0.0.1"]);
  await until(() => server.seen.connections > 0);

  expect((await send(ask(url))).status).toBe(200);
  expect(server.seen.connections).toBe(1);
});

test("an aborted signal causes no lookup and no dial", async () => {
  let looked = 0;
  const lookup = async () => {
    looked += 1;
    return ["127.0.0.1"];
  };
  const send = createSend({ addresses: createAddressCache({ lookup }) });

  const refused = send(ask("http://upstream.test:1", { signal: AbortSignal.abort() }));

  await expect(refused).rejects.toThrow("canceled");
  expect(looked).toBe(0);
});

test("aborting at any time between dial and response ends a call", async () => {
  await using server = await listenRaw((socket) => socket.resume());
  for (let moment = 0; moment < 12; moment++) {
    const abort = new AbortController();
    // Called when the second address took the connection.
    const prefer = async () => {
      for (let turn = 0; turn < moment; turn++) await null;
      abort.abort();
    };
    const find = () => ["127.0.0.9", "127.0.0.1"];
    const send = createSend({ addresses: { find, prefer, forget: () => {} } });

    const cancelled = send(ask(`http://upstream.test:${server.port}`, { signal: abort.signal }));

    await expect(cancelled).rejects.toThrow("canceled");
  }
});

test("a signal that outlives its calls has no listeners left", async () => {
  await using server = await listenForRequests((socket) => socket.write(OK));
  const { signal } = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
    listeners += 1;
    addEventListener.apply(signal, given);
  };
  signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
    listeners -= 1;
    removeEventListener.apply(signal, given);
  };
  const send = createSend();

  for (let i = 0; i < 5; i++) await send(ask(server.url, { signal }));
  await send(ask("http://127.0.0.1:1", { signal })).catch(() => {});

  expect(listeners).toBe(0);
});

test("an idle connection is not reused when its name resolves to another address", async () => {
  await using server = await listenForRequests((socket) => socket.write(OK));
  let list = ["127.0.0.1"];
  const send = createSend({
    addresses: { find: () => list, prefer: () => {}, forget: () => {} },
  });
  const url = `http://upstream.test:${server.port}`;

  await send(ask(url));
  list = ["127.0.0.9"];

  await expect(send(ask(url))).rejects.toMatchObject({ code: "upstream_unreachable" });
  expect(server.seen.connections).toBe(1);
});

test("an idle connection is not reused after the upstream's idle time", async () => {
  const text = "HTTP/1.1 200 OK\r\nkeep-alive: timeout=2\r\ncontent-length: 2\r\n\r\nok";
  await using server = await listenForRequests((socket) => socket.write(text));
  const send = createSend();

  await send(ask(server.url));
  await send(ask(server.url));
  expect(server.seen.connections).toBe(1);
  await Bun.sleep(1010);
  await send(ask(server.url));

  expect(server.seen.connections).toBe(2);
});

test("the address cache records the address that accepted a connection, and failures", async () => {
  await using server = await listenForRequests((socket) => socket.write(OK));
  const learned: string[] = [];
  const send = createSend({
    addresses: {
      find: ({ hostname }) =>
        hostname === "gone.test" ? ["127.0.0.9"] : ["127.0.0.9", "127.0.0.1"],
      prefer: (_, address) => learned.push(address),
      forget: ({ hostname }) => learned.push(hostname),
    },
  });

  await send(ask(`http://upstream.test:${server.port}`));
  await send(ask(`http://gone.test:${server.port}`)).catch(() => {});

  expect(learned).toEqual(["127.0.0.1", "gone.test"]);
});

test.each([
  ["an address", "127.0.0.1", PLACES, true],
  ["an address that it does not name", "127.0.0.1", UPSTREAM, false],
  ["a name beyond ASCII", "bücher.test", PLACES, true],
  ["a name in capitals", "UPSTREAM.test", UPSTREAM, true],
  ["a name one level below a wildcard", "a.wild.test", PLACES, true],
  ["a name two levels below a wildcard", "a.b.wild.test", PLACES, false],
  ["the name above a wildcard", "wild.test", PLACES, false],
  ["its common name only", "places.test", PLACES, false],
])("TLS: a certificate is checked for %s: %s", async (_, host, certificate, fits) => {
  let requests = 0;
  await using server = await listenForRequests((socket) => {
    requests += 1;
    socket.write(OK);
  }, certificate);
  const sent = createSend({ addresses, ca })(ask(`https://${host}:${server.port}`));

  const outcome = await sent.then(
    ({ status }) => status,
    ({ cause }) => cause.code,
  );

  expect(outcome).toBe(fits ? 200 : "ERR_TLS_CERT_ALTNAME_INVALID");
  expect(requests).toBe(fits ? 1 : 0);
});

test("TLS: a server that speaks only HTTP/2 is detected before anything is sent", async () => {
  const tls = { ...UPSTREAM, ALPNProtocols: ["h2"] };
  await using server = await listenForRequests((socket) => socket.write(OK), tls);

  const refused = createSend({ addresses, ca })(ask(`https://upstream.test:${server.port}`));

  await expect(refused).rejects.toMatchObject({
    code: "upstream_unreachable",
    cause: { message: expect.stringContaining("NO_APPLICATION_PROTOCOL") },
  });
});

test("TLS: a server without TLS is unreachable", async () => {
  await using server = await listenRaw((socket) =>
    socket.on("data", () => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n")),
  );

  const refused = createSend({ addresses, ca })(ask(`https://upstream.test:${server.port}`));

  await expect(refused).rejects.toMatchObject({ code: "upstream_unreachable" });
});

test("a host may be an IPv6 address", async () => {
  await using server = Bun.serve({
    port: 0,
    hostname: "::1",
    fetch: (request) => new Response(request.headers.get("host")),
  });

  const reply = await createSend()(ask(`http://[::1]:${server.port}/`));

  expect(Buffer.from(reply.whole ?? []).toString()).toBe(`[::1]:${server.port}`);
});

test("thousands of concurrent dials succeed, and the number of idle connections is bounded", async () => {
  await using server = await listenForRequests((socket) => socket.write(OK));
  const send = createSend({ maxConnectMs: 30_000 });

  const replies = await Promise.all(Array.from({ length: 3000 }, () => send(ask(server.url))));

  expect(replies.every(({ status }) => status === 200)).toBe(true);
  await until(() => server.seen.open.size <= 256);
}, 30_000);
