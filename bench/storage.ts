/** Size of the database: bytes per million events, and after retention has replaced all of them twice. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import type { RequestEvent } from "../src/contract/gateway/requests.ts";
import { type Db, openDb } from "../src/db/db.ts";
import { migrate } from "../src/db/migrate.ts";
import { reclaimSpace } from "../src/db/reclaim-space.ts";
import { deleteEvaluations, insertEvaluations } from "../src/db/tables/evaluation-events.ts";
import { deleteRequestEvents, insertRequestEvents } from "../src/db/tables/request-events.ts";
import { atMost, type Check } from "./checks.ts";
import { EVENT_MS, evaluationOf } from "./guard/fill-activity.ts";
import { startPostgres } from "./start-postgres.ts";

const EVENTS = process.argv.includes("--quick") ? 20_000 : 100_000;
const BATCH = 200;
/** Retention runs so many times while all events are replaced once. */
const SWEEPS = 10;
const TURNOVERS = 2;
const MAX_GROWTH = 1.3;
const BEGAN = Date.parse("2026-01-01T00:00:00Z");
const timeOf = (number: number): Date => new Date(BEGAN + number * EVENT_MS);

interface Kind {
  name: string;
  insert: (db: Db, numbers: readonly number[]) => Promise<void>;
  remove: (db: Db, before: Date) => Promise<number>;
}

const KINDS: readonly Kind[] = [
  {
    name: "requests",
    insert: (db, numbers) => insertRequestEvents(db, numbers.map(requestOf)),
    remove: deleteRequestEvents,
  },
  {
    name: "evaluations of 800 characters, text stored",
    insert: (db, numbers) =>
      insertEvaluations(
        db,
        numbers.map((number) => evaluationOf(number, BEGAN)),
      ),
    remove: (db, before) => deleteEvaluations(db, { collector_id: null, before }),
  },
];

interface Database {
  name: string;
  url: string;
  /** Frees the space of deleted rows, as the program (SQLite) or autovacuum (Postgres) does. */
  vacuum: (db: Db) => Promise<void>;
  bytes: (db: Db) => Promise<number>;
}

export async function run(): Promise<readonly Check[]> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const server = await startPostgres(stack).catch((thrown: Error) => thrown);
  console.log(
    `Storage: ${EVENTS.toLocaleString("en")} events, replaced ${TURNOVERS} times by retention, ${SWEEPS} deletions for each\n`,
  );
  console.log("| database | events | MB per million | after retention and vacuum | all deleted |");
  console.log("|---|---|--:|--:|--:|");
  const checks: Check[] = [];
  for (const [index, kind] of KINDS.entries()) {
    const databases = [sqlite(join(folder, `${index}.db`))];
    if (typeof server === "string") databases.push(await postgres(server, `storage_${index}`));
    for (const database of databases) checks.push(await measure(database, kind));
  }
  if (server instanceof Error) console.log(`\nSkipped: Postgres (${server.message}).`);
  return checks;
}

function sqlite(file: string): Database {
  return {
    name: "SQLite",
    url: `sqlite://${file}`,
    vacuum: reclaimSpace,
    async bytes(db) {
      await db.many("PRAGMA wal_checkpoint(TRUNCATE)");
      return statSync(file).size;
    },
  };
}

async function postgres(server: string, name: string): Promise<Database> {
  await using sql = new SQL(server, { max: 1 });
  await sql.unsafe(`CREATE DATABASE ${name}`);
  return {
    name: "Postgres",
    url: Object.assign(new URL(server), { pathname: `/${name}` }).href,
    vacuum: async (db) => {
      await db.run("VACUUM");
    },
    bytes: async (db) =>
      Number(
        (await db.one<{ bytes: string }>("SELECT pg_database_size(current_database()) AS bytes"))
          ?.bytes,
      ),
  };
}

async function measure({ name, url, vacuum, bytes }: Database, kind: Kind): Promise<Check> {
  const db = await openDb(url, { durable: false });
  await migrate(db, new Date(BEGAN));
  const empty = await bytes(db);
  const write = async (from: number, count: number) => {
    for (let at = from; at < from + count; at += BATCH) {
      await kind.insert(
        db,
        Array.from({ length: BATCH }, (_, index) => at + index),
      );
    }
  };
  await write(0, EVENTS);
  await vacuum(db);
  const filled = (await bytes(db)) - empty;
  const slice = EVENTS / SWEEPS;
  for (let from = EVENTS; from < EVENTS * (TURNOVERS + 1); from += slice) {
    await write(from, slice);
    await kind.remove(db, timeOf(from + slice - EVENTS));
    await vacuum(db);
  }
  const replaced = (await bytes(db)) - empty;
  await kind.remove(db, timeOf(EVENTS * (TURNOVERS + 1)));
  await vacuum(db);
  const left = (await bytes(db)) - empty;
  await db.close();
  // Bytes per event are megabytes per million.
  const cells = [filled, replaced, left].map((size) => Math.round(size / EVENTS));
  console.log(`| ${name} | ${kind.name} | ${cells.join(" | ")} |`);
  return atMost(`Size of ${name} after retention, ${kind.name}`, replaced / filled, {
    max: MAX_GROWTH,
    unit: "× the first",
    digits: 2,
  });
}

const hex = (number: number): string => number.toString(16).padStart(12, "0");

/** Returns an event with all members of a successful chat request. */
function requestOf(number: number): RequestEvent {
  const time = timeOf(number);
  const id = Bun.randomUUIDv7("hex", time.getTime());
  const registry_id = `0198c0de-0003-7000-8000-${hex(number % 10)}`;
  return {
    id,
    time: time.toISOString(),
    trace_id: id.replaceAll("-", ""),
    gateway_id: `0198c0de-0000-7000-8000-${hex(number % 5)}`,
    consumer_id: `0198c0de-0001-7000-8000-${hex(number % 200)}`,
    key_id: `0198c0de-0002-7000-8000-${hex(number % 400)}`,
    user_id: null,
    endpoint: "chat",
    method: "POST",
    registry_id,
    provider: "openai",
    attempts: [{ registry_id, status: 200, error: null, message: null, ms: 1_203.75 }],
    model_asked: "gpt-4o-mini",
    model_sent: "gpt-4o-mini",
    status: 200,
    error_code: null,
    error_message: null,
    upstream_error: null,
    request_bytes: 1_000,
    response_bytes: 2_000,
    ttfb_ms: 312.25,
    total_ms: 1_204.5,
    input_tokens: 200,
    output_tokens: 150,
  };
}
