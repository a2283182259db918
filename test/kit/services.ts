/** Creates a database and a Redis for a test: empty at first, deleted at the end. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RedisClient, SQL } from "bun";

export type DatabaseKind = "sqlite" | "postgres";

/** For `describe.each`: what is promised of the database is promised of both kinds. */
export const databaseKinds: DatabaseKind[] = ["sqlite", "postgres"];

export interface TestService extends AsyncDisposable {
  url: string;
}

export function freshDatabase(kind: DatabaseKind): Promise<TestService> {
  return kind === "sqlite" ? freshSqlite() : freshPostgres();
}

/** A database number of its own. Numbers do not part channels: every subscriber hears every test. */
export async function freshRedis(): Promise<TestService> {
  const server = serverUrl("TEST_REDIS_URL");
  const redis = new RedisClient(server);
  const number = await claimNumber(redis);
  return {
    url: withPath(server, number),
    async [Symbol.asyncDispose]() {
      await redis.send("SELECT", [number]);
      await redis.send("FLUSHDB", []);
      await redis.send("SELECT", ["0"]);
      await redis.del(claimKey(number));
      redis.close();
    },
  };
}

async function freshSqlite(): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), "portcullis-"));
  return {
    url: `sqlite://${join(folder, "portcullis.db")}`,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function freshPostgres(): Promise<TestService> {
  const server = serverUrl("TEST_DATABASE_URL");
  const name = `t_${randomBytes(8).toString("hex")}`;
  await runOnce(server, `CREATE DATABASE ${name} TEMPLATE template0`);
  return {
    url: withPath(server, name),
    // FORCE: a test of a crash leaves connections behind.
    [Symbol.asyncDispose]: () => runOnce(server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

function serverUrl(variable: "TEST_DATABASE_URL" | "TEST_REDIS_URL"): string {
  const url = process.env[variable];
  if (!url) throw new Error(`${variable} is not set: run npm test, which starts the servers.`);
  return url;
}

function withPath(server: string, path: string): string {
  const url = new URL(server);
  url.pathname = `/${path}`;
  return url.href;
}

async function runOnce(server: string, statement: string): Promise<void> {
  await using sql = new SQL(server, { max: 1 });
  await sql.unsafe(statement);
}

const REDIS_NUMBERS = Array.from({ length: 15 }, (_, index) => `${index + 1}`); // 0 keeps the claims
const CLAIM_S = "600"; // longer than any test; the claim of a test that died ends too

/** Test files run in several processes, so Redis itself keeps who has which number. */
async function claimNumber(redis: RedisClient): Promise<string> {
  for (const number of REDIS_NUMBERS) {
    if (!(await redis.send("SET", [claimKey(number), "1", "NX", "EX", CLAIM_S]))) continue;
    await redis.send("SELECT", [number]);
    const size = await redis.send("DBSIZE", []);
    await redis.send("SELECT", ["0"]);
    // A server that we were given may hold what belongs to others: their number is not touched.
    if (size === 0) return number;
    await redis.del(claimKey(number));
  }
  throw new Error("No empty database is left in Redis: dispose of what freshRedis gave.");
}

function claimKey(number: string): string {
  return `portcullis-test:${number}`;
}
