/** How connections come about: whose they are, how long that may take, and what is left when it fails. */
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { createAddressFinder } from "../../src/net/find-address.ts";
import { createSend } from "../../src/net/send.ts";
import { OTHER, PLACES, UPSTREAM } from "./certificates.ts";
import { ask, listenForRequests, listenRaw } from "./raw-server.ts";

const addresses = createAddressFinder({ lookup: async () => ["127.0.0.1"] });
const ca = UPSTREAM.cert + OTHER.cert + PLACES.cert;
const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

test("TLS: a handshake that never ends is unreachable in time, and its connection is closed", async () => {
  await using server = await listenRaw((socket) => socket.resume());
  const send = createSend({ addresses, connectMs: 200 });

  const waiting = send(ask(`https://upstream.test:${server.port}`));

  await expect(waiting).rejects.toMatchObject({
    code: "upstream_unreachable",
    cause: new Error("The connection timed out."),
  });
  await Bun.sleep(20);
  expect([server.seen.connections, server.seen.open.size]).toEqual([1, 0]);
});

/** Listens at once, accepts only after `ms`; until then its queue is full and a connect hangs. */
async function lateServer(ms: number) {
  const program = `
    require("node:net").createServer((socket) => socket.on("error", () => {}).resume())
      .listen({ host: "127.0.0.1", port: 0 }, function () {
        require("node:fs").writeSync(1, String(this.address().port));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms});
      });`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(value));
  const queue = Array.from({ length: 600 }, () => connect({ host: "127.0.0.1", port }));
  for (const socket of queue) socket.on("error", () => {});
  await Bun.sleep(50);
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of queue) socket.destroy();
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

test("a connection that opens after it was given up disturbs nobody", async () => {
  await using late = await lateServer(600);
  const program = `
    import { createSend } from ${JSON.stringify(Bun.resolveSync("../../src/net/send.ts", import.meta.dir))};
    const send = createSend({ connectMs: 200 });
    const asked = ${JSON.stringify(ask(`http://127.0.0.1:${late.port}`))};
    for (const url of [asked.url, asked.url.replace("http", "https")]) {
      await send({ ...asked, url }).catch(({ code }) => console.log(code));
    }
    await Bun.sleep(4000); // the system dials again after one second and after three
    console.log("done");`;

  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "pipe" });

  expect(await new Response(child.stderr).text()).toBe("");
  expect(await new Response(child.stdout).text()).toBe(
    "upstream_unreachable\nupstream_unreachable\ndone\n",
  );
}, 15_000);

test.each(["look-up", "dial"])("aborting ends a call during its %s at once", async (stage) => {
  await using server = await listenRaw((socket) => socket.resume());
  const never = createAddressFinder({ lookup: () => new Promise(() => {}) });
  const send = createSend({ addresses: stage === "dial" ? addresses : never, connectMs: 600 });
  const started = performance.now();

  const cancelled = send(
    ask(`https://upstream.test:${server.port}`, { signal: AbortSignal.timeout(50) }),
  );

  await expect(cancelled).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(performance.now() - started).toBeLessThan(400);
  await Bun.sleep(700); // the dial goes on by itself, and fails unheard
  expect(server.seen.open.size).toBe(0);
});

test("what was dialled for a call that was aborted serves the next one", async () => {
  await using server = await listenForRequests((socket) => socket.write(OK));
  let answer = (_: string[]) => {};
  const lookup = () => new Promise<string[]>((resolve) => (answer = resolve));
  const send = createSend({ addresses: createAddressFinder({ lookup }) });
  const abort = new AbortController();
  const url = `http://upstream.test:${server.port}`;

  const cancelled = send(ask(url, { signal: abort.signal }));
  const other = send(ask(url));
  abort.abort();
  answer(["127.0.0.1"]);

  await expect(cancelled).rejects.toThrow("cancelled");
  expect((await other).status).toBe(200);
  expect((await send(ask(url))).status).toBe(200);
  expect(server.seen.connections).toBeLessThanOrEqual(2);
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
  let asked = 0;
  await using server = await listenForRequests((socket) => {
    asked += 1;
    socket.write(OK);
  }, certificate);
  const sent = createSend({ addresses, ca })(ask(`https://${host}:${server.port}`));

  const outcome = await sent.then(
    ({ status }) => status,
    ({ cause }) => cause.code,
  );

  expect(outcome).toBe(fits ? 200 : "ERR_TLS_CERT_ALTNAME_INVALID");
  expect(asked).toBe(fits ? 1 : 0);
});

test("TLS: a server of HTTP/2 alone is told apart before anything is sent", async () => {
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

test("thousands of dials at once all arrive, and only some connections are kept", async () => {
  await using server = await listenForRequests((socket) => socket.write(OK));
  const send = createSend({ connectMs: 30_000 });

  const replies = await Promise.all(Array.from({ length: 3000 }, () => send(ask(server.url))));

  expect(replies.every(({ status }) => status === 200)).toBe(true);
  await Bun.sleep(200);
  expect(server.seen.open.size).toBeLessThanOrEqual(256);
}, 30_000);
