/** The first start upgrades an installation of the previous release in place, and all its data still works. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../../src/db/db.ts";
import { schemaOf } from "../../src/db/schema-tables.ts";
import { listSealedTexts } from "../../src/db/sealed-columns.ts";
import facts from "../golden/upgrade/eb2e1da/facts.json";
import { startAuthServer, startProtectedServer } from "../kit/auth-server.ts";
import { openBrowser } from "../kit/browser.ts";
import { UPSTREAM_KEY } from "../kit/dataplane.ts";
import { newSigningKey, startIssuer } from "../kit/issuer.ts";
import { type Kit, startKit } from "../kit/kit.ts";
import { connectClient } from "../kit/mcp-client.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { runProgram } from "../kit/program.ts";
import { type DatabaseKind, databaseKinds, freshDatabase } from "../kit/services.ts";
import { startUpstream } from "../kit/upstream.ts";
import { fixtureFile, fixtureRows, loadFixture } from "./load-fixture.ts";

const RELEASE = "eb2e1da";

/** Starts the servers that the installation calls. */
async function startOthers() {
  const key = await newSigningKey("ES256", "k1");
  const issuer = await startIssuer(key);
  const upstream = startUpstream(({ path }) => {
    if (path.endsWith("/jwks")) return { body: { keys: [key.jwk] } };
    return path.includes("/files") ? { body: { id: "file-1" } } : { body: { matches: [] } };
  });
  const mcp = startMcpServer({ tools: [{ name: "issues" }] });
  const auth = startAuthServer();
  const { client_id, refresh_token } = facts.account;
  const redirect_uris = [facts.flow.redirect_uri];
  auth.clients.set("gateway", { secret: "client-secret-0123", redirect_uris: [] });
  auth.clients.set(client_id, { secret: "oauth-client-secret", redirect_uris });
  auth.refresh.set(refresh_token, { client_id, sub: "alice@vendor.example" });
  const guarded = startProtectedServer(auth, { tools: [{ name: "mail" }] });
  const places = [upstream.url, mcp.origin, guarded.origin, auth.url];
  const sign = (claims: object) => issuer.sign(key, { aud: "fixture", ...claims });
  return {
    ...{ upstream, mcp, auth, guarded, places, sign },
    async [Symbol.asyncDispose]() {
      for (const server of [issuer, upstream, mcp, auth, guarded]) {
        await server[Symbol.asyncDispose]();
      }
    },
  };
}

async function startUpgraded(database: DatabaseKind) {
  const others = await startOthers();
  const fresh = await freshDatabase(database);
  const data_dir = mkdtempSync(join(tmpdir(), "portcullis-upgrade-"));
  copyFileSync(fixtureFile(RELEASE, "keys"), join(data_dir, "keys"));
  await loadFixture(fresh.url, fixtureRows(RELEASE, others.places));
  const kit = await startKit({ database_url: fresh.url, data_dir });
  return {
    ...others,
    kit,
    async [Symbol.asyncDispose]() {
      await kit[Symbol.asyncDispose]();
      await others[Symbol.asyncDispose]();
      await fresh[Symbol.asyncDispose]();
      rmSync(data_dir, { recursive: true });
    },
  };
}

const chat = ({ url }: Kit, { slug, key }: { slug: string; key: string }, user = "") =>
  fetch(`${url}/${slug}/v1/chat/completions`, {
    method: "POST",
    headers: { "x-ag-api-key": key, "x-user-id": user, "content-type": "application/json" },
    body: JSON.stringify({ model: "m" }),
  });

const evaluate = async (kit: Kit, key: string, body: object, headers = {}) => {
  const reply = await kit.post("/v1/evaluate", body, {
    authorization: `Bearer ${key}`,
    ...headers,
  });
  expect(reply.status).toBe(200);
  return (await reply.json()) as { status: string; transformed_payload?: { input: string } };
};

const itemsAt = async (kit: Kit, path: string): Promise<{ id: string }[]> =>
  ((await (await kit.get(path)).json()) as { items: { id: string }[] }).items;

describe.each(databaseKinds)("on %s", (database) => {
  let upgraded: Awaited<ReturnType<typeof startUpgraded>>;
  beforeAll(async () => {
    upgraded = await startUpgraded(database);
  });
  afterAll(() => upgraded[Symbol.asyncDispose]());

  test("every stored secret is upgraded and opens", async () => {
    const { kit } = upgraded;
    const settings = { DATABASE_URL: kit.database_url, PORTCULLIS_DATA_DIR: kit.data_dir };

    const { out } = await runProgram(["doctor"], settings);

    expect(out).toMatch(/stored secrets: all \d+ can be decrypted/);
    const old = (await listSealedTexts(kit.db)).filter(
      ({ text }) => !text.startsWith("sealed:v2:"),
    );
    expect(old).toEqual([]);
  });

  test("the owner's token and a consumer's key are accepted", async () => {
    const { kit, upstream } = upgraded;

    expect((await kit.get("/v1/whoami")).status).toBe(200);
    expect((await chat(kit, facts.consumer)).status).toBe(200);

    const headers = upstream.hits.at(-1)?.headers;
    expect(headers?.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
    expect(headers?.["x-team"]).toBe("header-secret-0123");
  });

  test("a consumer still sees its file, and a blocked subject is still blocked", async () => {
    const { kit } = upgraded;
    const { slug, key } = facts.files;
    const file = await fetch(`${kit.url}/${slug}/v1/files/file-1`, {
      headers: { "x-ag-api-key": key },
    });

    expect(file.status).toBe(200);
    expect((await chat(kit, facts.blocked, "mallory")).status).toBe(429);
    expect((await chat(kit, facts.blocked, "ana")).status).toBe(200);
  });

  test.each([
    ["newest", undefined, "detector-secret-new"],
    ["pinned", "pinned", "detector-secret-old"],
  ])("the %s version of a policy sends its detector's secret", async (_, consumer_id, secret) => {
    const { kit, upstream } = upgraded;

    await evaluate(kit, facts.detector.key, { payload: { input: "again" }, consumer_id });

    expect(upstream.hits.at(-1)?.headers["x-detector"]).toBe(secret);
  });

  test("a service client gets a token that evaluates", async () => {
    const { kit } = upgraded;
    const { id, secret } = facts.service_client;
    const grant = { grant_type: "client_credentials", client_id: id, client_secret: secret };
    const reply = await kit.post("/v1/token", grant);
    const { access_token } = (await reply.json()) as { access_token: string };

    const { collector_key } = facts.detector;
    await evaluate(kit, access_token, { payload: { input: "hello" }, collector_key });
  });

  test("a repeated Idempotency-Key gets the stored response and is not run again", async () => {
    const { kit, upstream } = upgraded;
    const once = { "idempotency-key": "once" };
    const before = upstream.hits.length;

    const verdict = await evaluate(kit, facts.detector.key, { payload: { input: "hello" } }, once);
    const again = await kit.post("/v1/gateways", { name: "Once" }, once);

    expect([verdict.status, upstream.hits.length]).toEqual([facts.detector.evaluated, before]);
    expect(await again.json()).toMatchObject(facts.once);
  });

  test("a masked text is restored", async () => {
    const { kit } = upgraded;
    const body = { payload: { input: facts.masks.text }, session_id: "s1", direction: "output" };

    const { transformed_payload } = await evaluate(kit, facts.masks.key, body);

    expect(transformed_payload?.input).toBe("Write to ana@example.com");
  });

  test("events are listed, and a pending approval has expired: its fingerprint matches no request", async () => {
    const { kit } = upgraded;
    const { gateway_id } = facts.consumer;
    const { pending, approved } = facts.approvals;
    const approval = `/v1/approvals/${pending}`;

    expect((await itemsAt(kit, `/v1/gateways/${gateway_id}/requests`)).length).toBeGreaterThan(1);
    expect((await itemsAt(kit, "/v1/activity")).length).toBeGreaterThan(3);
    expect((await itemsAt(kit, "/v1/audit")).length).toBeGreaterThan(10);
    expect(await (await kit.get(approval)).json()).toMatchObject({ status: "expired" });
    expect((await kit.post(`${approval}/decide`, { decision: "approved" })).status).toBe(409);
    expect((await itemsAt(kit, "/v1/approvals?status=approved")).map(({ id }) => id)).toEqual([
      approved,
    ]);
  });

  test("a principal's servers get the secrets that were stored for them", async () => {
    const { kit, mcp, guarded } = upgraded;
    const authorization = `Bearer ${facts.store.alice}`;
    await using client = await connectClient(`${kit.url}/me/mcp`, { authorization });
    const headersOf = async (tool: string) => {
      expect(await client.call(tool)).toMatchObject({ isError: false });
      return mcp.calls.at(-1)?.headers;
    };

    expect((await headersOf("keyed__issues"))?.get("authorization")).toContain(
      "principal-key-0123",
    );
    const shared = (await headersOf("shared__issues"))?.get("authorization");
    expect(shared).toBe("Bearer shared-secret-0123");
    // The token endpoint checks the client secret.
    expect((await headersOf("own__issues"))?.get("authorization")).toMatch(/^Bearer at-/);

    // The server rejects the stored token, so it is renewed with the refresh token and the client secret.
    expect(await client.call("mail__mail")).toMatchObject({ isError: false });
    const sent = guarded.hits.map(({ headers }) => headers.get("authorization"));
    expect(sent).toContain(`Bearer ${facts.account.access_token}`);
  });

  test("a sign-in that was begun before the upgrade has to be started again", async () => {
    const { kit, auth } = upgraded;
    const installs = `${facts.store.path}/store/principal/installs?principal_sub=bob`;
    const [install] = await itemsAt(kit, installs);
    const browser = openBrowser();
    await browser.submit(`${kit.url}/me/connect/${install?.id}`, { token: facts.store.bob });

    // The release did not record its authorization server (decision 0006).
    const query = new URLSearchParams({ state: facts.flow.state, code: "code-1", iss: auth.url });
    const page = await browser.visit(`${kit.url}/oauth/callback?${query}`);

    expect([page.status, await page.text()]).toEqual([409, expect.stringContaining("Start again")]);
  });

  test("a pending request can be approved, and an issuer's token is accepted", async () => {
    const { kit, sign } = upgraded;
    const { path } = facts.store;
    const [request] = await itemsAt(kit, `${path}/store/requests?state=pending`);
    const approve = `${path}/store/requests/${request?.id}/approve`;
    const reply = await kit.post(approve, { instance_id: facts.store.keyed });

    expect(reply.status).toBe(200);
    const servers = await fetch(`${kit.url}/v0.1/servers`, {
      headers: { authorization: `Bearer ${await sign({ sub: "dora" })}` },
    });
    expect(servers.status).toBe(200);
  });

  test("a second start finds nothing to upgrade", async () => {
    const { kit } = upgraded;
    const before = await listSealedTexts(kit.db);

    await using again = await startKit({ database_url: kit.database_url, data_dir: kit.data_dir });

    expect(await listSealedTexts(again.db)).toEqual(before);
  });

  test("a start with other keys is rejected and leaves the schema to the previous release", async () => {
    await using fresh = await freshDatabase(database);
    await loadFixture(fresh.url, fixtureRows(RELEASE, upgraded.places));
    const db = await openDb(fresh.url);
    const before = await schemaOf(db);
    const keys = `k1:${Buffer.alloc(32).toString("base64")}`;

    const start = startKit({ database_url: fresh.url, settings: { PORTCULLIS_KEYS: keys } });

    await expect(start).rejects.toThrow("cannot decrypt the secrets in this database");
    expect(await schemaOf(db)).toEqual(before);
    await db.close();
  });

  test("a backup of the previous release is restored and upgraded", async () => {
    await using fresh = await freshDatabase(database);
    const dir = mkdtempSync(join(tmpdir(), "portcullis-restore-"));
    const file = join(dir, "saved.jsonl.gz");
    writeFileSync(file, Bun.gzipSync(fixtureRows(RELEASE, upgraded.places)));
    copyFileSync(fixtureFile(RELEASE, "keys"), join(dir, "keys"));
    const settings = { DATABASE_URL: fresh.url, PORTCULLIS_DATA_DIR: dir };

    const { out } = await runProgram(["restore", "-f", file, "--json"], settings);
    const doctor = await runProgram(["doctor"], settings);

    expect(JSON.parse(out)).toMatchObject({ keys: "fit" });
    expect(doctor.out).toMatch(/stored secrets: all \d+ can be decrypted/);
    rmSync(dir, { recursive: true });
  });
});
