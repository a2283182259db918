/**
 * Writes an installation of the release it runs in, with a row of every kind, for the upgrade test of later releases.
 * Run it in a checkout of that release: `FIXTURE=eb2e1da npm test -- ./test/upgrade/make-fixture.ts`.
 */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAuthServer, startProtectedServer } from "../kit/auth-server.ts";
import { openBrowser } from "../kit/browser.ts";
import { addConsumer, makeConsumer } from "../kit/dataplane.ts";
import { makeDetector, makeGuard, makeGuardWithRules } from "../kit/guard.ts";
import { type Kit, OWNER_TOKEN, startKit } from "../kit/kit.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { runProgram } from "../kit/program.ts";
import { until } from "../kit/until.ts";
import { startUpstream } from "../kit/upstream.ts";

const FAR = "2999-01-01T00:00:00.000Z";

/** Starts the external servers, each at an address that the upgrade test replaces. */
function startOthers() {
  const upstream = startUpstream(({ path }) =>
    path.endsWith("/files")
      ? { body: { id: "file-1", object: "file" } }
      : { body: { matches: [] } },
  );
  const mcp = startMcpServer({ tools: [{ name: "issues" }] });
  const auth = startAuthServer();
  auth.state.expires_in = 3_000_000_000;
  const vendor = startRegistration(auth);
  const guarded = startProtectedServer({ ...auth, url: vendor.url }, { tools: [{ name: "mail" }] });
  return { upstream, mcp, auth, vendor, guarded };
}

/** Starts the authorization server of the kit, with a registration that returns a client secret. */
function startRegistration(auth: ReturnType<typeof startAuthServer>) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, search, origin } = new URL(request.url);
      const reply = await fetch(`${auth.url}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        redirect: "manual",
        ...(request.method === "POST" ? { body: await request.text() } : {}),
      });
      const text = (await reply.text()).replaceAll(auth.url, origin);
      if (pathname !== "/register") {
        const location = reply.headers
          .get("location")
          ?.replaceAll(encodeURIComponent(auth.url), encodeURIComponent(origin));
        return new Response(text, { status: reply.status, headers: location ? { location } : {} });
      }
      const registered = JSON.parse(text);
      const client = auth.clients.get(registered.client_id);
      if (client) client.secret = "oauth-client-secret";
      return Response.json(
        { ...registered, client_secret: "oauth-client-secret" },
        { status: 201 },
      );
    },
  });
  return { url: server.url.origin };
}

type Others = ReturnType<typeof startOthers>;

async function makeDataPlane(kit: Kit, { upstream }: Others) {
  const consumer = await makeConsumer(kit, [
    {
      provider: "openai_compatible",
      url: upstream.url,
      options: { headers: { "x-team": "header-secret-0123" } },
    },
  ]);
  expect((await consumer.post("/v1/chat/completions", { model: "m" })).status).toBe(200);
  const form = [
    ["purpose", "assistants"],
    ["file", "text", "a.txt"],
  ] as [string, string][];
  const attached = [{ provider: "openai", url: upstream.url }];
  const files = await addConsumer(kit, consumer.gateway, attached, { files_scope: "own" });
  expect((await files.form("/v1/files", form)).status).toBe(200);
  const limited = await kit.make<{ id: string; slug: string }>("/v1/gateways", {
    name: "Limited",
    required_plugins: [
      {
        name: "rate_limiter",
        enabled: true,
        stage: "pre_request",
        priority: 1,
        settings: {
          limits: { per_user: { limit: 1, window: "1m" } },
          actions: { type: "block" },
        },
      },
    ],
  });
  const blocked = await addConsumer(kit, limited, [{ provider: "openai", url: upstream.url }]);
  for (const status of [200, 429]) {
    const reply = await blocked.post(
      "/v1/chat/completions",
      { model: "m" },
      { "x-user-id": "mallory" },
    );
    expect(reply.status).toBe(status);
  }
  const pick = ({ slug, key, gateway }: typeof consumer) => ({ slug, key, gateway_id: gateway.id });
  return { consumer: pick(consumer), files: pick(files), blocked: pick(blocked) };
}

async function makeGuards(kit: Kit, { upstream }: Others) {
  const settings = (secret: string) => ({
    url: upstream.url,
    headers: { "x-detector": secret },
    allow_private: true,
  });
  const http = await makeGuardWithRules(kit, "http", { settings: settings("detector-secret-old") });
  const { id } = http.collector;
  const at = `/v1/collectors/${id}`;
  await kit.put(`${at}/overrides/pinned`, { policy_id: http.policy.id, policy_version: 1 });
  await kit.put(`/v1/detectors/${http.detector.id}`, { settings: settings("detector-secret-new") });
  const client = await kit.make<{ id: string; client_secret: string }>(`${at}/service-clients`, {
    name: "service",
  });
  const event = await http.evaluate({ payload: { input: "hello" } }, { "idempotency-key": "once" });

  const asks = await makeGuard(kit, { gates: [{ name: "ask", action: "ask" }] });
  const [pending, approved] = await Promise.all(
    ["one", "two"].map(async (input) => {
      const { findings } = await asks.evaluate({ payload: { input } });
      return String(findings[0]?.evidence.approval_id);
    }),
  );
  await kit.post(`/v1/approvals/${approved}/decide`, { decision: "approved" });

  const mask = await makeDetector(kit, "data_loss_prevention", { reversible: true });
  const restore = await makeDetector(kit, "restore_masks");
  const masks = await makeGuard(kit, {
    input_rules: [{ detector_id: mask.id, action: "transform" }],
    output_rules: [{ detector_id: restore.id, action: "transform" }],
  });
  const masked = await masks.evaluate({
    payload: { input: "Write to ana@example.com" },
    session_id: "s1",
  });
  return {
    detector: {
      key: http.key,
      collector_key: http.collector.collector_key,
      policy_id: http.policy.id,
      evaluated: event.status,
    },
    service_client: { id: client.id, secret: client.client_secret },
    approvals: { key: asks.key, pending, approved },
    masks: { key: masks.key, text: masked.transformed_payload?.input },
  };
}

async function makeStore(kit: Kit, others: Others) {
  const { mcp, auth, vendor, guarded } = others;
  const store = await makeMcpStore(kit);
  const keyed = await store.serve("Keyed", mcp.url, { auth: { type: "principal_key" } });
  const header = { type: "header", value: "Bearer shared-secret-0123" };
  const shared = await store.serve("Shared", mcp.url, { auth: header });
  auth.clients.set("gateway", { secret: "client-secret-0123", redirect_uris: [] });
  const own = await store.serve("Own", mcp.url, {
    auth: {
      type: "client_credentials",
      token_url: `${vendor.url}/token`,
      client_id: "gateway",
      client_secret: "client-secret-0123",
    },
  });
  const forwarded = { auth: { type: "forwarded" }, entry: { auth: { type: "oauth" } } };
  const mail = await store.serve("Mail", guarded.url, forwarded);
  for (const { code } of [shared, own]) await store.install("alice", code);
  const install = await store.install("alice", keyed.code);
  await kit.put(`${store.path}/store/principal/installs/${install}/config`, {
    values: { api_key: "principal-key-0123" },
  });
  const alice = await store.token("alice", ["eng"]);
  const browser = openBrowser();
  const link = `${kit.url}/me/connect/${await store.install("alice", mail.code)}`;
  await browser.submit(link, { token: alice });
  expect(await (await browser.submit(link, {})).text()).toContain("is connected");
  const [access_token, refresh_token] = auth.secrets();

  const bob = await store.token("bob");
  const bobInstall = await store.install("bob", mail.code);
  const location = await startFlow(`${kit.url}/me/connect/${bobInstall}`, bob);
  const flow = Object.fromEntries(new URL(location).searchParams);

  await using client = await store.client("alice");
  for (const name of ["keyed__issues", "shared__issues", "own__issues", "mail__mail"]) {
    expect(await client.call(name)).toMatchObject({ isError: false });
  }
  await store.rule("carol", "request");
  await kit.make(`${store.path}/store/principal/installs`, {
    principal_sub: "carol",
    code: keyed.code,
    reason: "I need it.",
  });
  await kit.make(`${store.path}/store/issuers`, {
    name: "login",
    issuer: "https://login.example.com",
    audience: "fixture",
    jwks_url: `${others.upstream.url}/jwks`,
    allow_private: true,
  });
  const [[client_id] = []] = [...auth.clients.keys()]
    .filter((id) => id !== "gateway")
    .map((id) => [id]);
  return {
    store: { path: store.path, keyed: keyed.id, alice, bob },
    account: { client_id, access_token, refresh_token },
    flow,
  };
}

/** Returns the sign-in URL; the sign-in is never completed. */
async function startFlow(link: string, token: string): Promise<string> {
  const send = (fields: Record<string, string>, cookie = "") =>
    fetch(link, {
      method: "POST",
      headers: { origin: new URL(link).origin, cookie },
      body: new URLSearchParams(fields),
      redirect: "manual",
    });
  const signedIn = await send({ token });
  const cookie = /^[^;]+/.exec(signedIn.headers.get("set-cookie") ?? "")?.[0] ?? "";
  return (await send({}, cookie)).headers.get("location") ?? "";
}

test("writes the fixture", async () => {
  const others = startOthers();
  await using kit = await startKit();
  const facts = {
    owner: OWNER_TOKEN,
    ...(await makeDataPlane(kit, others)),
    ...(await makeGuards(kit, others)),
    ...(await makeStore(kit, others)),
    once: await (
      await kit.post("/v1/gateways", { name: "Once" }, { "idempotency-key": "once" })
    ).json(),
  };
  // Longer than the fixture is in use.
  for (const table of ["approvals", "pseudonyms", "oauth_flows"]) {
    await kit.db.run(`UPDATE ${table} SET expires_at = $1`, FAR);
  }
  await kit.deps.flushEvaluations();
  await until(async () => (await kit.db.many("SELECT id FROM request_events")).length === 4);
  const settings = { PORTCULLIS_DATA_DIR: kit.data_dir, DATABASE_URL: kit.database_url };
  const file = join(kit.data_dir, "saved.jsonl.gz");
  const { code, err } = await runProgram(["backup", "-o", file], settings);
  expect({ code, err }).toEqual({ code: 0, err: "" });

  const PLACES = {
    "http://127.0.0.1:1": others.upstream.url,
    "http://127.0.0.1:2": others.mcp.origin,
    "http://127.0.0.1:3": others.guarded.origin,
    "http://127.0.0.1:4": others.vendor.url,
    "http://127.0.0.1:5": kit.url,
  };
  const placed = (text: string) =>
    Object.entries(PLACES).reduce((now, [place, url]) => now.replaceAll(url, place), text);
  const folder = join(import.meta.dir, "../golden/upgrade", process.env.FIXTURE ?? "new");
  mkdirSync(folder, { recursive: true });
  const rows = Buffer.from(Bun.gunzipSync(readFileSync(file))).toString("utf8");
  writeFileSync(join(folder, "rows.jsonl"), placed(rows));
  writeFileSync(join(folder, "keys"), readFileSync(join(kit.data_dir, "keys")));
  writeFileSync(join(folder, "facts.json"), `${placed(JSON.stringify(facts, null, 2))}\n`);
}, 60_000);
