/** Requests through a proxy: tunnels, certificates, the address guard and failures of the proxy. */
import { afterAll, expect, test } from "bun:test";
import { createAddressCache } from "../../src/net/address-cache.ts";
import { createSend, type OutboundRequest, type SendOptions } from "../../src/net/send.ts";
import { startConnectProxy } from "../kit/connect-proxy.ts";
import { toResponse } from "../kit/to-response.ts";
import { OTHER, PLACES, UPSTREAM } from "./certificates.ts";
import { ask } from "./raw-server.ts";

const ca = [UPSTREAM.cert, PLACES.cert];
const serve = (tls?: { key: string; cert: string }) =>
  Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    ...(tls && { tls }),
    maxRequestBodySize: 64 * 1024 * 1024,
    async fetch(request) {
      const bytes = await request.bytes();
      return new Response(bytes.length > 0 ? bytes : "ok");
    },
  });
const [secure, plain, places] = [serve(UPSTREAM), serve(), serve(PLACES)];
afterAll(() => Promise.all([secure, plain, places].map((server) => server.stop(true))));

/** `public.test` has a public address, `private.test` a private one. */
const lookup = async (hostname: string): Promise<string[]> => {
  if (hostname === "proxy.test" || hostname === "localhost") return ["127.0.0.1"];
  return hostname === "private.test" ? ["10.0.0.7"] : ["93.184.215.14"];
};
const addresses = () => createAddressCache({ lookup });
const open = (options: SendOptions) => {
  const send = createSend({ addresses: addresses(), ca, maxConnectMs: 2000, ...options });
  return async (url: string, more: Partial<OutboundRequest> = {}) =>
    toResponse(await send(ask(url, more)));
};

test("a request is sent through the proxy with its credentials, and the connection is reused", async () => {
  await using proxy = await startConnectProxy({ user: "ana:s3cret" });
  const send = open({ proxy_url: proxy.url });
  const url = `https://upstream.test:${secure.port}/`;

  const texts = [await (await send(url)).text(), await (await send(url)).text()];

  expect(texts).toEqual(["ok", "ok"]);
  // The registry may reach private addresses, so the proxy resolves the name.
  expect(proxy.targets).toEqual([`upstream.test:${secure.port}`]);
});

test("a large body passes the tunnel in both directions unchanged", async () => {
  await using proxy = await startConnectProxy();
  const body = crypto.getRandomValues(new Uint8Array(65_536));
  const large = Buffer.concat(Array.from({ length: 320 }, () => body));
  const send = open({ proxy_url: proxy.url });

  const reply = await send(`https://upstream.test:${secure.port}/`, {
    method: "POST",
    body: large,
  });
  await Bun.sleep(20); // the reader pauses
  const received = Buffer.from(await reply.bytes());

  expect(received.equals(large)).toBe(true);
});

test("plain http uses a tunnel too", async () => {
  await using proxy = await startConnectProxy();

  const reply = await open({ proxy_url: proxy.url })(`http://inside.test:${plain.port}/`);

  expect(await reply.text()).toBe("ok");
  expect(proxy.targets).toEqual([`inside.test:${plain.port}`]);
});

test("with the address guard, the proxy is sent the checked address, never the name", async () => {
  await using proxy = await startConnectProxy();
  const send = open({ proxy_url: proxy.url });

  const reply = await send(`https://upstream.test:${secure.port}/`, { allow_private: false });
  const refused = send(`https://private.test:${secure.port}/`, { allow_private: false });

  expect(await reply.text()).toBe("ok");
  await expect(refused).rejects.toMatchObject({ code: "upstream_address_refused" });
  expect(proxy.targets).toEqual([`93.184.215.14:${secure.port}`]);
});

test.each([
  ["of another name", UPSTREAM.cert, "wrong.test"],
  ["of an unknown authority", OTHER.cert, "upstream.test"],
  ["of a name, for an address", UPSTREAM.cert, "93.184.215.14"],
])("a certificate %s is rejected behind a proxy", async (_, authority, host) => {
  await using proxy = await startConnectProxy();
  const send = open({ proxy_url: proxy.url, ca: [authority] });

  const call = send(`https://${host}:${secure.port}/`);

  await expect(call).rejects.toMatchObject({ code: "upstream_unreachable" });
});

test("the certificate of an address behind a proxy is checked against that address, not the proxy's", async () => {
  await using proxy = await startConnectProxy();
  const send = open({ proxy_url: proxy.url });

  // PLACES is valid for 127.0.0.1, the address of the proxy, but not for this one.
  const call = send(`https://93.184.215.14:${places.port}/`);

  await expect(call).rejects.toMatchObject({ code: "upstream_unreachable" });
});

test.each([
  ["requires a password", { user: "ana:right" }, "requires other credentials (status 407)"],
  ["refuses", { refuse: 403 }, "does not allow this upstream (status 403)"],
  ["times out", { refuse: 504 }, "could not reach the upstream (status 504)"],
  ["speaks another protocol", { reply: "SSH-2.0-x\r\n\r\n" }, "sent an invalid response"],
  [
    "forges a response of the upstream",
    { reply: "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\nforged" },
    "sent an invalid response",
  ],
  [
    "sends an endless header",
    { reply: `HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000)}` },
    "sent an invalid response",
  ],
  ["closes the connection", { reply: "" }, "closed the connection"],
])("a proxy that %s is an upstream error that says so", async (_, options, reason) => {
  await using proxy = await startConnectProxy(options);
  const send = open({ proxy_url: proxy.url.replace("ana:right", "ana:wrong") });

  const call = send(`https://upstream.test:${secure.port}/`);

  await expect(call).rejects.toMatchObject({
    code: "upstream_unreachable",
    message: `The egress proxy ${reason}.`,
  });
});

test("a proxy that cannot be reached, or never responds, is an upstream error", async () => {
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const url = `https://upstream.test:${secure.port}/`;
  const gone = open({ proxy_url: "http://127.0.0.1:1" })(url);
  const waiting = open({ proxy_url: `http://127.0.0.1:${silent.port}`, maxConnectMs: 100 })(url);

  await expect(gone).rejects.toThrow("The egress proxy could not be reached.");
  await expect(waiting).rejects.toMatchObject({ code: "upstream_unreachable" });
  silent.stop(true);
});

test.each([
  ["127.0.0.1", []],
  ["localhost", []],
  ["127.0.0.1", ["10.0.0.0/8"]],
])("%s is dialed without the proxy, with the list %j", async (host, no_proxy) => {
  const send = open({ proxy_url: "http://127.0.0.1:1", no_proxy });

  expect(await (await send(`http://${host}:${plain.port}/`)).text()).toBe("ok");
});

test.each([
  ["inside.example", ["inside.example"], true],
  ["a.inside.example", [".inside.example"], true],
  ["inside.example", ["*.inside.example"], true],
  ["notinside.example", ["inside.example"], false],
  ["10.1.2.3", ["10.0.0.0/8"], true],
  ["11.1.2.3", ["10.0.0.0/8"], false],
])("the host %s with the list %j is dialed directly: %p", async (host, no_proxy, isDirect) => {
  await using proxy = await startConnectProxy({ refuse: 403 });
  const find = async () => ["127.0.0.1"];
  const send = open({
    proxy_url: proxy.url,
    no_proxy,
    addresses: { find, prefer: () => {}, forget: () => {} },
  });

  const outcome = await send(`http://${host}:${plain.port}/`).then(
    (reply) => reply.text(),
    ({ message }) => message,
  );

  expect(outcome).toBe(
    isDirect ? "ok" : "The egress proxy does not allow this upstream (status 403).",
  );
});

test("a request with its own egress settings shares no connection with others", async () => {
  await using own = await startConnectProxy();
  const send = open({ ca: [] });
  const url = `https://upstream.test:${secure.port}/`;
  const egress = { ca: UPSTREAM.cert, proxy_url: own.url };

  expect(await (await send(url, { egress })).text()).toBe("ok");

  // Another set of authorities must not reuse a connection that was verified by the first.
  const other = send(url, { egress: { ...egress, ca: OTHER.cert } });
  await expect(other).rejects.toMatchObject({ code: "upstream_unreachable" });
  expect(own.targets.length).toBe(2);
});

test("the proxy of a registry is guarded like the registry", async () => {
  await using proxy = await startConnectProxy();
  const send = open({});
  const egress = { proxy_url: `http://proxy.test:${proxy.port}` };

  const refused = send(`https://upstream.test:${secure.port}/`, { egress, allow_private: false });

  await expect(refused).rejects.toMatchObject({
    code: "upstream_address_refused",
    message: expect.stringContaining("registry's proxy"),
  });
  expect(proxy.targets).toEqual([]);
});
