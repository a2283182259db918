import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { openDb } from "../../src/db/db.ts";
import { reclaimSpace } from "../../src/db/reclaim-space.ts";
import { sqliteFile } from "../../src/db/sqlite.ts";
import { requestEventTable } from "../../src/db/tables/request-events.ts";
import { startKit } from "../kit/kit.ts";
import { requestEvent } from "../kit/request-event.ts";
import { freshDatabase } from "../kit/services.ts";
import { until } from "../kit/until.ts";

const MIB = 1024 * 1024;

test("an SQLite file releases the space of deleted rows in steps that yield to other queries", async () => {
  await using database = await freshDatabase("sqlite");
  const file = sqliteFile(database.url) ?? "";
  const db = await openDb(database.url, { durable: false });
  await db.run("CREATE TABLE filler (id INTEGER PRIMARY KEY, text TEXT)");
  for (let row = 0; row < 10_000; row += 1) {
    await db.run("INSERT INTO filler (text) VALUES ($1)", "x".repeat(3_000));
  }
  await db.run("DELETE FROM filler");
  await db.many("PRAGMA wal_checkpoint(TRUNCATE)");
  const before = statSync(file).size;
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 1);

  await reclaimSpace(db);
  clearInterval(counting);
  await db.many("PRAGMA wal_checkpoint(TRUNCATE)");

  expect(before).toBeGreaterThan(30 * MIB);
  expect(statSync(file).size).toBeLessThan(6 * MIB);
  expect(turns).toBeGreaterThan(10);
  await db.close();
});

/** Creates a file without auto_vacuum, like earlier releases, with 100 rows and the space of 4,900 deleted ones. */
function createOldFile(file: string): void {
  using old = new Database(file, { create: true });
  old.exec("PRAGMA journal_mode = WAL; CREATE TABLE filler (id INTEGER PRIMARY KEY, text TEXT)");
  const insert = old.prepare("INSERT INTO filler (text) VALUES (?)");
  old.transaction(() => {
    for (let row = 0; row < 5_000; row += 1) insert.run("x".repeat(3_000));
  })();
  old.exec("DELETE FROM filler WHERE id > 100");
}

test("a file that cannot shrink is unchanged", async () => {
  await using database = await freshDatabase("sqlite");
  createOldFile(sqliteFile(database.url) ?? "");
  const db = await openDb(database.url, { durable: false });
  const free = await db.one("PRAGMA freelist_count");

  await reclaimSpace(db);

  expect(await db.one("PRAGMA freelist_count")).toEqual(free);
  await db.close();
});

test("a file of an older release is converted at start and keeps its rows", async () => {
  await using database = await freshDatabase("sqlite");
  const file = sqliteFile(database.url) ?? "";
  createOldFile(file);

  await using kit = await startKit({ database_url: database.url });

  expect(await kit.db.one("PRAGMA auto_vacuum")).toEqual({ auto_vacuum: 2 });
  expect(await kit.db.one("SELECT count(*) AS count FROM filler")).toEqual({ count: 100 });
  expect(statSync(file).size).toBeLessThan(5 * MIB);
});

test("a new SQLite file has pages of 8 KiB, and an older one keeps its own", async () => {
  await using fresh = await freshDatabase("sqlite");
  await using older = await freshDatabase("sqlite");
  using file = new Database(sqliteFile(older.url) ?? "", { create: true });
  file.exec("CREATE TABLE filler (id INTEGER PRIMARY KEY)");

  const newDb = await openDb(fresh.url);
  const oldDb = await openDb(older.url);

  expect(await newDb.one("PRAGMA page_size")).toEqual({ page_size: 8192 });
  expect(await oldDb.one("PRAGMA page_size")).toEqual({ page_size: 4096 });
  await newDb.close();
  await oldDb.close();
});

test("expired rows are deleted soon after the start", async () => {
  await using kit = await startKit();
  const old = new Date("2020-01-01T00:00:00.000Z");
  await requestEventTable.insertMany(kit.db, [
    requestEvent(old.toISOString()),
    requestEvent(new Date().toISOString()),
  ]);

  await until(async () => (await requestEventTable.all(kit.db)).length === 1);

  const [left] = await requestEventTable.all(kit.db);
  expect(left?.time).not.toBe(old.toISOString());
}, 30_000);
