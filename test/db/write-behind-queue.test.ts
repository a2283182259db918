/** The queue behind all writers, on a real database. */
import { expect, test } from "bun:test";
import { type Db, openDb } from "../../src/db/db.ts";
import { migrate } from "../../src/db/migrate.ts";
import { requestEventTable } from "../../src/db/tables/request-events.ts";
import { createWriteBehindQueue } from "../../src/db/write-behind-queue.ts";
import { requestEvent } from "../kit/request-event.ts";
import { freshDatabase } from "../kit/services.ts";
import { until } from "../kit/until.ts";

const event = () => requestEvent("2026-01-01T00:00:00.000Z");

async function openEvents(stack: AsyncDisposableStack) {
  const database = stack.use(await freshDatabase("sqlite"));
  const db = await openDb(database.url, { durable: false });
  stack.defer(() => db.close());
  await migrate(db, new Date());
  return db;
}

function createQueue(db: Db, maxRows: number) {
  const logged: [string, unknown][] = [];
  const queue = createWriteBehindQueue<ReturnType<typeof event>>({
    kind: "event",
    log: (name, { count }) => logged.push([name, count]),
    write: (rows) => requestEventTable.insertMany(db, rows),
    maxBatch: () => 2,
    maxRows,
    flushMs: () => 1,
    retryMs: 1,
  });
  return { queue, logged };
}

test("a full queue drops rows, counts them and logs the count", async () => {
  await using stack = new AsyncDisposableStack();
  const db = await openEvents(stack);
  const { queue, logged } = createQueue(db, 3);

  const added = Array.from({ length: 5 }, () => queue.add(event()));
  await queue.drain();

  expect(added).toEqual([true, true, true, false, false]);
  expect([queue.size(), queue.lost(), logged]).toEqual([0, 2, [["events_dropped", 2]]]);
  expect(await requestEventTable.all(db)).toHaveLength(3);
});

test("rows queued during an outage are written when the database is back, without another call", async () => {
  await using stack = new AsyncDisposableStack();
  const db = await openEvents(stack);
  const { queue, logged } = createQueue(db, 10);
  const events = Array.from({ length: 5 }, event);

  await db.one("PRAGMA query_only = 1");
  for (const each of events) queue.add(each);
  await until(() => queue.isHeld());
  await db.one("PRAGMA query_only = 0");
  await until(() => queue.size() === 0);

  const rows = await requestEventTable.all(db);
  expect(rows.map(({ id }) => id).toSorted()).toEqual(events.map(({ id }) => id).toSorted());
  expect(logged.map(([name]) => name)).toEqual(["events_held", "events_written"]);
});

test("a stopped queue writes what is left, and nothing later", async () => {
  await using stack = new AsyncDisposableStack();
  const db = await openEvents(stack);
  const { queue } = createQueue(db, 10);

  for (let row = 0; row < 5; row++) queue.add(event());
  await queue.stop();
  const written = await requestEventTable.all(db);
  queue.add(event());
  await new Promise(setImmediate);

  expect([written.length, queue.size()]).toEqual([5, 1]);
});

test("rows that fill batches are written at once, in powers of two; the others wait to share a batch", async () => {
  await using stack = new AsyncDisposableStack();
  const db = await openEvents(stack);
  const batches: number[] = [];
  const queue = createWriteBehindQueue<ReturnType<typeof event>>({
    kind: "event",
    log: () => {},
    write(rows) {
      batches.push(rows.length);
      return requestEventTable.insertMany(db, rows);
    },
    maxBatch: () => 3,
    maxRows: 100,
    flushMs: () => 60_000,
    flushRows: 4,
    retryMs: 1,
  });

  for (let row = 0; row < 7; row++) queue.add(event());
  await until(() => queue.size() === 3);
  expect(batches).toEqual([2, 2]);

  await queue.drain();
  expect(batches).toEqual([2, 2, 2, 1]);
  await queue.stop();
});
