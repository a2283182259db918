/** Registries with an identity of Microsoft Entra, and the v1 API of Azure OpenAI. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCloudRegistry } from "../kit/cloud-registry.ts";
import { startConnectProxy } from "../kit/connect-proxy.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import { startIssuerServer } from "../kit/issuer-server.ts";
import { type Kit, sharedKit, startKit } from "../kit/kit.ts";
import { createTestClock } from "../kit/test-clock.ts";
import { until } from "../kit/until.ts";
import { startUpstream } from "../kit/upstream.ts";

const SECRET = "entra-client-secret-8Q~planted";
const dir = mkdtempSync(join(tmpdir(), "portcullis-azure-"));
const tokenFile = join(dir, "token");
writeFileSync(tokenFile, "federated.jwt.value\n");

let issued = 0;
let isDown = false;
/** Entra, the metadata service of a virtual machine and the endpoint of App Service. */
const clock = createTestClock();
const entra = startIssuerServer(({ form, headers, path }) => {
  if (isDown) return { status: 503 };
  const isProven =
    form.client_secret === SECRET ||
    form.client_assertion === "federated.jwt.value" ||
    (path.startsWith("/metadata/") && headers.metadata === "true") ||
    headers["x-identity-header"] === "app-service-secret";
  if (!isProven) {
    const error_description = `AADSTS7000215: Invalid client secret ${form.client_secret}.`;
    return { status: 401, body: { error: "invalid_client", error_description } };
  }
  issued += 1;
  if (headers["x-identity-header"]) {
    const expires_on = `${Math.floor(clock.now().getTime() / 1000) + 3600}`;
    return { body: { access_token: `entra-token-${issued}`, expires_on } };
  }
  return { body: { access_token: `entra-token-${issued}`, expires_in: "3600" } };
});
const upstream = startUpstream({ body: { choices: [] } });
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await entra[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const APP = {
  type: "azure",
  tenant_id: "contoso.example",
  client_id: "app-1",
  client_secret: SECRET,
  authority_host: entra.url,
};
const makeAzure = (kit: Kit, auth: object, options: object = {}) =>
  makeCloudRegistry(kit, {
    provider: "azure",
    provider_options: { endpoint: upstream.url, ...options },
    auth,
  });
const sentToken = () => upstream.hits.at(-1)?.headers.authorization;

const ENV = {
  AZURE_FEDERATED_TOKEN_FILE: tokenFile,
  AZURE_TENANT_ID: "tenant-of-pod",
  AZURE_CLIENT_ID: "client-of-pod",
  AZURE_AUTHORITY_HOST: entra.url,
  AZURE_POD_IDENTITY_AUTHORITY_HOST: entra.url,
};
const started = sharedKit({ env: ENV, now: clock.now });

test("a client secret is exchanged once for a token, which is renewed before it expires", async () => {
  const { chat } = await makeAzure(await started(), APP);
  const before = entra.requests.length;

  const replies = await Promise.all([chat(), chat(), chat()]);

  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  const [call, ...more] = entra.requests.slice(before);
  expect(more).toEqual([]);
  expect(call).toMatchObject({
    path: "/contoso.example/oauth2/v2.0/token",
    form: { client_id: "app-1", scope: "https://cognitiveservices.azure.com/.default" },
  });
  const first = sentToken();
  expect(first).toBe(`Bearer entra-token-${issued}`);

  clock.advance(56 * 60_000);
  await chat();
  expect(sentToken()).toBe(first); // still valid
  await until(() => entra.requests.length === before + 2);
  await chat();
  expect(sentToken()).toBe(`Bearer entra-token-${issued}`);
});

test("a workload identity sends the federated token of the pod", async () => {
  const { chat } = await makeAzure(await started(), { type: "azure", source: "workload_identity" });

  expect((await chat()).status).toBe(200);

  expect(entra.requests.at(-1)).toMatchObject({
    path: "/tenant-of-pod/oauth2/v2.0/token",
    form: { client_id: "client-of-pod", client_assertion: "federated.jwt.value" },
  });
});

test("a managed identity of a virtual machine uses the metadata service, although private upstreams are forbidden", async () => {
  await using kit = await startKit({ env: ENV, settings: { ALLOW_PRIVATE_UPSTREAMS: "false" } });
  const { id } = await kit.make("/v1/gateways", { name: "g" });
  const report = await kit.post(`/v1/gateways/${id}/registries/test-connection`, {
    name: "azure",
    provider: "azure",
    provider_options: { endpoint: "https://upstream.invalid" },
    auth: { type: "azure", source: "managed_identity", client_id: "user-assigned" },
  });

  const { path, query } = entra.requests.at(-1) ?? {};
  expect(path).toBe("/metadata/identity/oauth2/token");
  expect(Object.fromEntries(query ?? [])).toEqual({
    "api-version": "2018-02-01",
    resource: "https://cognitiveservices.azure.com",
    client_id: "user-assigned",
  });
  // The token was obtained; only the upstream itself is unknown.
  expect(await report.json()).toMatchObject({ ok: false, stage: "connect" });
});

test("a managed identity of App Service uses the endpoint in its environment", async () => {
  const IDENTITY_ENDPOINT = `${entra.url}/msi/token`;
  await using kit = await startKit({
    env: { IDENTITY_ENDPOINT, IDENTITY_HEADER: "app-service-secret" },
    now: clock.now,
  });
  const { chat } = await makeAzure(kit, { type: "azure", source: "managed_identity" });

  expect((await chat()).status).toBe(200);
  expect(entra.requests.at(-1)?.path).toBe("/msi/token");

  // Its response has the time of expiry instead of the lifetime.
  const before = entra.requests.length;
  clock.advance(50 * 60_000);
  await chat();
  expect(entra.requests.length).toBe(before);
});

test("the metadata service is called directly, although the registry has a proxy", async () => {
  await using proxy = await startConnectProxy();
  const identity = { type: "azure", source: "managed_identity", client_id: "behind-proxy" };
  const { chat } = await makeAzure(await started(), identity, { proxy_url: proxy.url });
  const before = entra.requests.length;

  expect((await chat()).status).toBe(200);

  expect(entra.requests.length).toBe(before + 1);
  expect(proxy.targets).toEqual([new URL(upstream.url).host]);
});

test("a token stays in use while it is valid, although it cannot be renewed", async () => {
  const kit = await started();
  const { chat } = await makeAzure(kit, { ...APP, client_id: "app-3" });
  await chat();
  const token = sentToken();
  isDown = true;
  clock.advance(57 * 60_000);

  expect((await chat()).status).toBe(200);
  expect(sentToken()).toBe(token);
  await until(() => kit.lines.join().includes("credential_not_renewed"));

  clock.advance(10 * 60_000);
  expect((await chat()).status).toBe(502);
  isDown = false;
  clock.advance(2_000);
  expect((await chat()).status).toBe(200);
});

test("a rejected secret is a 502 with the codes of Entra, without its text", async () => {
  const kit = await started();
  const wrong = { ...APP, client_secret: "wrong-secret-planted" };
  const { chat, test: testConnection } = await makeAzure(kit, wrong);
  const hits = upstream.hits.length;

  const reply = await chat();

  expect(reply.status).toBe(502);
  const text = await reply.text();
  expect(text).toContain("401 (invalid_client, AADSTS7000215)");
  expect(text).not.toContain("planted");
  expect(await testConnection()).toMatchObject({ ok: false, stage: "credential" });
  expect(upstream.hits.length).toBe(hits);
  expect(kit.lines.join()).not.toContain("planted");
});

test("a token that the upstream repeats in an error is masked", async () => {
  const { chat } = await makeAzure(await started(), { ...APP, client_id: "app-2" });
  upstream.script(({ headers }) => ({
    status: 401,
    body: { error: `bad ${headers.authorization}` },
  }));

  const text = await (await chat()).text();
  upstream.script({ body: { choices: [] } });

  expect(text).toContain("bad Bearer ***");
  expect(text).not.toContain("entra-token");
});

test.each([
  ["v1", ""],
  ["v1_preview", "?api-version=preview"],
])("the API %s has the deployment in the body, and no dated api-version", async (api, query) => {
  const kit = await started();
  const consumer = await makeConsumer(kit, [
    { provider: "azure", url: `${upstream.url}/openai/v1/`, options: { api } },
  ]);

  await consumer.post("/v1/chat/completions?api-version=2020-01-01", {
    model: "a/b",
    messages: [],
  });
  const chat = upstream.hits.at(-1);
  await consumer.form("/v1/audio/transcriptions", [
    ["model", "@azure/whisper"],
    ["file", "x", "a.wav"],
  ]);
  const form = upstream.hits.at(-1);

  expect([chat?.path, chat?.query]).toEqual(["/openai/v1/chat/completions", query]);
  expect(JSON.parse(String(chat?.body))).toMatchObject({ model: "a/b" });
  expect([form?.path, form?.query]).toEqual(["/openai/v1/audio/transcriptions", query]);
  expect(String(form?.body)).toContain("whisper");
});
