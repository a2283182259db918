/** Private certificate authorities and egress proxies, of the installation and of one registry. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startConnectProxy } from "../kit/connect-proxy.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import { sharedKit, startKit } from "../kit/kit.ts";
import { startUpstream } from "../kit/upstream.ts";
import { OTHER, UPSTREAM } from "../net/certificates.ts";

const dir = mkdtempSync(join(tmpdir(), "portcullis-egress-"));
const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};
const CHAT = "/v1/chat/completions";
const MODEL = { model: "m", messages: [] };

/** An upstream whose certificate is signed by no public authority. */
const secure = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  tls: { key: UPSTREAM.key, cert: UPSTREAM.cert },
  fetch: () => Response.json({ choices: [] }),
});
const url = `https://upstream.test:${secure.port}/v1`;
const proxy = await startConnectProxy({ user: "ana:planted-password" });
const started = sharedKit();
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await secure.stop(true);
  await proxy[Symbol.asyncDispose]();
});

test("EGRESS_PROXY and EGRESS_CA_FILE apply to all registries, except hosts in EGRESS_NO_PROXY", async () => {
  await using inside = startUpstream();
  await using kit = await startKit({
    settings: {
      EGRESS_PROXY: proxy.url,
      EGRESS_CA_FILE: file("ca.pem", UPSTREAM.cert),
      EGRESS_NO_PROXY: "127.0.0.0/8, .corp.example",
    },
  });
  const outside = await makeConsumer(kit, [{ provider: "openai", url }]);
  const direct = await makeConsumer(kit, [{ provider: "openai", url: inside.url }]);
  const before = proxy.targets.length;

  const replies = [await outside.post(CHAT, MODEL), await direct.post(CHAT, MODEL)];

  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(proxy.targets.slice(before)).toEqual([`upstream.test:${secure.port}`]);
  expect(kit.lines.join()).not.toContain("planted-password");
});

test("a registry has its own authorities and proxy, which is shown masked", async () => {
  const kit = await started();
  const options = { ca_bundle: UPSTREAM.cert, proxy_url: proxy.url };
  const consumer = await makeConsumer(kit, [{ provider: "openai", url, options }]);
  const path = `/v1/gateways/${consumer.gateway.id}/registries/${consumer.registries[0]?.id}`;

  expect((await consumer.post(CHAT, MODEL)).status).toBe(200);

  const shown = (await (await kit.get(path)).json()) as { provider_options: object };
  expect(shown.provider_options).toEqual({
    base_url: url,
    ca_bundle: UPSTREAM.cert,
    proxy_url: `***${proxy.url.slice(-4)}`,
  });
  const kept = await kit.put(path, { provider_options: shown.provider_options });
  expect(kept.status).toBe(200);
  expect((await consumer.post(CHAT, MODEL)).status).toBe(200);
});

test("a certificate of another authority is rejected before anything is sent", async () => {
  const options = { ca_bundle: OTHER.cert, proxy_url: proxy.url };
  const consumer = await makeConsumer(await started(), [{ provider: "openai", url, options }]);

  const reply = await consumer.post(CHAT, MODEL);

  expect(await reply.json()).toMatchObject({ error: { code: "upstream_unreachable" } });
});

test("a proxy that rejects its password is reported by the connection test, without the password", async () => {
  const kit = await started();
  const { id } = await kit.make("/v1/gateways", { name: "g" });

  const reply = await kit.post(`/v1/gateways/${id}/registries/test-connection`, {
    name: "r",
    provider: "openai",
    provider_options: { base_url: url, proxy_url: proxy.url.replace("planted", "planted-wrong") },
    auth: { type: "api_key", api_key: "sk-0123456789" },
    allow_private: true,
  });

  const text = await reply.text();
  expect(JSON.parse(text)).toMatchObject({
    stage: "connect",
    message: "The egress proxy requires other credentials (status 407).",
  });
  expect(text).not.toContain("planted");
});

test.each([
  ["a new proxy", { proxy_url: "http://attacker.example.net:3128" }],
  ["new authorities", { ca_bundle: OTHER.cert }],
])("%s of a registry requires its key again", async (_, change) => {
  const kit = await started();
  const { id } = await kit.make("/v1/gateways", { name: "g" });
  const list = `/v1/gateways/${id}/registries`;
  const auth = { type: "api_key", api_key: "sk-0123456789" };
  const registry = await kit.make(list, { name: "r", provider: "openai", auth });

  const silent = await kit.put(`${list}/${registry.id}`, { provider_options: change });
  const given = await kit.put(`${list}/${registry.id}`, { provider_options: change, auth });
  const again = await kit.put(`${list}/${registry.id}`, { provider_options: change });

  expect([silent.status, given.status, again.status]).toEqual([422, 200, 200]);
  expect(await silent.json()).toMatchObject({
    message: expect.stringContaining("auth.api_key: must be sent again"),
  });
});

test.each([
  ["a private proxy", { proxy_url: "http://10.0.0.1:3128" }, "proxy_url: is not a public address"],
  [
    "a password that cannot be decoded",
    { proxy_url: "http://a:100%@p.example" },
    "must be an http URL",
  ],
  ["an https proxy", { proxy_url: "https://proxy.example.com" }, "must be an http URL"],
  ["a bundle that is not PEM", { ca_bundle: "x" }, "must be certificates in PEM format"],
  [
    "a damaged certificate",
    { ca_bundle: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" },
    "must be certificates in PEM format",
  ],
])("%s is a 422", async (_, provider_options, message) => {
  const kit = await started();
  const { id } = await kit.make("/v1/gateways", { name: "g" });

  const reply = await kit.post(`/v1/gateways/${id}/registries`, {
    name: "r",
    provider: "openai",
    provider_options,
    auth: { type: "api_key", api_key: "sk-0123456789" },
  });

  expect(reply.status).toBe(422);
  expect(await reply.text()).toContain(message);
});

test.each([
  [{ EGRESS_PROXY: "https://proxy.example.com" }, "EGRESS_PROXY: must start with http://"],
  [{ EGRESS_NO_PROXY: "a b" }, "EGRESS_NO_PROXY"],
  [{ EGRESS_CA_FILE: "/missing.pem" }, "EGRESS_CA_FILE: /missing.pem cannot be read"],
])("the settings %j are rejected at start", async (settings, message) => {
  await expect(startKit({ settings })).rejects.toThrow(message);
});
