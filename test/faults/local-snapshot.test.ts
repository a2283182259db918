/** A node whose Postgres is unavailable starts from the configuration that it stored locally. */
import { expect, test } from "bun:test";
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { addKey } from "../../src/server/keyring.ts";
import { startCuttableProxy } from "../kit/cuttable-proxy.ts";
import { makeConsumer, UPSTREAM_KEY } from "../kit/dataplane.ts";
import { makeGuard } from "../kit/guard.ts";
import { type Kit, OWNER_TOKEN, startKit } from "../kit/kit.ts";
import { freshDatabase } from "../kit/services.ts";
import { until } from "../kit/until.ts";
import { startUpstream } from "../kit/upstream.ts";

const CHAT = "/v1/chat/completions";
const GATE = {
  name: "no",
  when: { field: "consumer.id", op: "eq", value: "eve" },
  action: "block",
};

/** An installation whose node has stopped and whose Postgres is out of reach. */
async function stoppedInstallation(stack: AsyncDisposableStack) {
  const database = stack.use(await freshDatabase("postgres"));
  const line = stack.use(startCuttableProxy(database.url));
  const upstream = stack.use(startUpstream({ body: { ok: true } }));
  const data_dir = mkdtempSync(join(tmpdir(), "portcullis-snapshot-"));
  stack.defer(() => rmSync(data_dir, { recursive: true, force: true }));
  const first = await startKit({ database_url: line.url, data_dir });
  const consumer = await makeConsumer(first, [{ provider: "openai", url: upstream.url }]);
  const guard = await makeGuard(first, { gates: [GATE] });
  const [signedIn, signedOut] = [await signIn(first), await signIn(first)];
  const headers = { cookie: signedOut, "x-portcullis-csrf": "1" };
  await fetch(`${first.url}/v1/session`, { method: "DELETE", headers });
  await first[Symbol.asyncDispose]();
  line.cut();
  const file = join(data_dir, "snapshot");
  const start = () => startKit({ database_url: line.url, data_dir });
  const cookies = [signedIn, signedOut];
  return { database, line, upstream, data_dir, file, consumer, guard, cookies, start };
}

async function signIn({ url }: Kit): Promise<string> {
  const body = JSON.stringify({ token: OWNER_TOKEN });
  const reply = await fetch(`${url}/v1/session`, { method: "POST", body });
  return reply.headers.get("set-cookie")?.split(";")[0] ?? "";
}

const readyz = async (url: string) => {
  const reply = await fetch(`${url}/readyz`);
  const body = (await reply.json()) as { status: string; degraded?: string[] };
  return { http: reply.status, ...body };
};

test("it serves the data plane and evaluations, reports degraded, and reloads when Postgres returns", async () => {
  await using stack = new AsyncDisposableStack();
  const { database, line, upstream, data_dir, file, consumer, guard, cookies, start } =
    await stoppedInstallation(stack);
  // Another node revokes the consumer's key while this one is down.
  const other_dir = mkdtempSync(join(tmpdir(), "portcullis-snapshot-"));
  stack.defer(() => rmSync(other_dir, { recursive: true, force: true }));
  copyFileSync(join(data_dir, "keys"), join(other_dir, "keys"));
  const other = await startKit({ database_url: database.url, data_dir: other_dir });
  expect((await other.delete(`${consumer.path}/keys/${consumer.key_id}`)).ok).toBe(true);
  await other[Symbol.asyncDispose]();
  upstream.hits.length = 0;

  await using kit = await start();
  const whoAmI = async (cookie: string) =>
    (await fetch(`${kit.url}/v1/whoami`, { headers: { cookie } })).status;
  const sessions = await Promise.all(cookies.map(whoAmI));
  const chat = () =>
    fetch(`${kit.url}/${consumer.slug}${CHAT}`, {
      method: "POST",
      headers: { "x-ag-api-key": consumer.key },
      body: '{"model":"m"}',
    });
  const evaluated = await kit.post(
    "/v1/evaluate",
    { payload: { input: "x" }, consumer_id: "eve" },
    { authorization: `Bearer ${guard.key}` },
  );
  const [served, listed, changed, ready] = [
    await chat(),
    await kit.get("/v1/gateways"),
    await kit.post("/v1/gateways", { name: "g" }),
    await readyz(kit.url),
  ];
  line.mend();
  await until(async () => (await readyz(kit.url)).degraded === undefined);

  expect([served.status, evaluated.status]).toEqual([200, 200]);
  expect((await evaluated.json()).status).toBe("block");
  expect(upstream.hits[0]?.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
  expect([listed.status, changed.status]).toEqual([503, 503]);
  expect(ready).toMatchObject({
    http: 200,
    status: "ready",
    degraded: [expect.stringContaining("database")],
  });
  // The second session was signed out.
  expect(sessions.map((status) => status === 401)).toEqual([false, true]);
  // Accepted until Postgres returned, not after.
  expect((await chat()).status).toBe(401);
  expect((await kit.post("/v1/gateways", { name: "g" })).status).toBe(201);
  expect(statSync(file).mode & 0o777).toBe(0o600);
}, 40_000);

test("the stored configuration is sealed and updated with every change", async () => {
  await using stack = new AsyncDisposableStack();
  const { line, data_dir, file, consumer, start } = await stoppedInstallation(stack);
  const before = readFileSync(file, "utf8");
  line.mend();
  writeFileSync(`${file}-part`, "of a process that was killed");
  const kit = await start();
  await kit.put(consumer.path, { slug: "renamed" });
  await until(() => readFileSync(file, "utf8") !== before);
  await kit[Symbol.asyncDispose]();
  line.cut();

  await using next = await start();
  const served = await fetch(`${next.url}/renamed${CHAT}`, {
    method: "POST",
    headers: { "x-ag-api-key": consumer.key },
    body: '{"model":"m"}',
  });
  line.mend();
  await until(async () => (await readyz(next.url)).degraded === undefined);

  expect(served.status).toBe(200);
  expect(before).toStartWith("sealed:");
  expect(readdirSync(data_dir).filter((name) => name.startsWith("snapshot-"))).toEqual([]);
  expect(before).not.toContain(consumer.slug);
}, 40_000);

test("a database that returns as another installation is rejected and unchanged", async () => {
  await using stack = new AsyncDisposableStack();
  const { database, line, consumer, start } = await stoppedInstallation(stack);
  const server = stack.use(new SQL(process.env.TEST_DATABASE_URL ?? "", { max: 1 }));
  const name = new URL(database.url).pathname.slice(1);
  await server.unsafe(`ALTER DATABASE ${name} RENAME TO ${name}_kept`);
  await server.unsafe(`CREATE DATABASE ${name} TEMPLATE template0`);
  const empty = stack.use(new SQL(database.url, { max: 1 }));

  await using kit = await start();
  line.mend();
  await until(() => kit.lines.some((text) => text.includes("database_refused")));
  const served = await fetch(`${kit.url}/${consumer.slug}${CHAT}`, {
    method: "POST",
    headers: { "x-ag-api-key": consumer.key },
    body: '{"model":"m"}',
  });
  const changed = await kit.post("/v1/gateways", { name: "g" });
  const { degraded } = await readyz(kit.url);
  const tables = await empty`SELECT 1 FROM information_schema.tables WHERE table_schema = 'public'`;
  await empty.close();
  await server.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  await server.unsafe(`ALTER DATABASE ${name}_kept RENAME TO ${name}`);
  await until(async () => (await readyz(kit.url)).degraded === undefined);

  expect([served.status, changed.status, degraded?.length]).toEqual([200, 503, 1]);
  expect(tables).toHaveLength(0);
  expect((await kit.post("/v1/gateways", { name: "g" })).status).toBe(201);
}, 40_000);

test.each([
  ["is damaged", ({ file }: Stopped) => writeFileSync(file, readFileSync(file).subarray(0, -9))],
  ["was sealed with an older key", ({ data_dir }: Stopped) => addKey(join(data_dir, "keys"))],
  ["is missing", ({ file }: Stopped) => rmSync(file)],
])(
  "a node does not start from a stored configuration that %s",
  async (_, spoil) => {
    await using stack = new AsyncDisposableStack();
    const stopped = await stoppedInstallation(stack);

    spoil(stopped);

    await expect(stopped.start()).rejects.toMatchObject({ code: "unavailable" });
  },
  40_000,
);

test("a database of another installation with the same keys is rejected too", async () => {
  await using stack = new AsyncDisposableStack();
  const { database, line, start } = await stoppedInstallation(stack);
  const other = stack.use(new SQL(database.url, { max: 1 }));
  await other`UPDATE installation SET value = '2020-01-01T00:00:00.000Z' WHERE id = 'created_at'`;

  await using kit = await start();
  line.mend();
  await until(() => kit.lines.some((text) => text.includes("another installation")));

  expect((await kit.post("/v1/gateways", { name: "g" })).status).toBe(503);
}, 40_000);

test("a node does not start from a stored configuration when Postgres rejects its user", async () => {
  await using stack = new AsyncDisposableStack();
  const { line, data_dir } = await stoppedInstallation(stack);
  line.mend();
  const url = new URL(line.url);
  url.username = "unknown";

  const started = startKit({ database_url: url.href, data_dir });

  await expect(started).rejects.toMatchObject({ code: "unavailable" });
}, 40_000);

type Stopped = Awaited<ReturnType<typeof stoppedInstallation>>;

test("a node does not start from a stored configuration of another database", async () => {
  await using stack = new AsyncDisposableStack();
  const { data_dir } = await stoppedInstallation(stack);
  const other = stack.use(startCuttableProxy("postgres://postgres@127.0.0.1:1/other"));
  other.cut();

  const started = startKit({ database_url: other.url, data_dir });

  await expect(started).rejects.toMatchObject({ code: "unavailable" });
}, 40_000);
