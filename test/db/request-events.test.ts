/** Request events are written in batches, found without blocking other queries, and deleted on time. */
import { describe, expect, test } from "bun:test";
import { analyzeTables } from "../../src/db/analyze-tables.ts";
import { openDb } from "../../src/db/db.ts";
import { migrate } from "../../src/db/migrate.ts";
import {
  deleteRequestEvents,
  pageRequestEvents,
  requestEventTable,
} from "../../src/db/tables/request-events.ts";
import { writeEvents } from "../../src/server/writers/write-events.ts";
import { countEventLoopTurns } from "../kit/count-event-loop-turns.ts";
import { requestEvent as event } from "../kit/request-event.ts";
import { databaseKinds, freshDatabase } from "../kit/services.ts";

describe.each(databaseKinds)("%s", (kind) => {
  test("events before a given time are deleted, later ones are unchanged", async () => {
    await using database = await freshDatabase(kind);
    const db = await openDb(database.url, { durable: false });
    await migrate(db, new Date());
    const [old, kept] = [event("2026-01-01T00:00:00.000Z"), event("2026-01-02T00:00:00.000Z")];
    await requestEventTable.insertMany(db, [old, kept]);

    const dropped = await deleteRequestEvents(db, new Date("2026-01-01T12:00:00Z"));

    expect(dropped).toBe(1);
    expect(await requestEventTable.all(db)).toEqual([kept]);
    await db.close();
  });

  test("deleting many events yields to other queries", async () => {
    await using database = await freshDatabase(kind);
    const db = await openDb(database.url, { durable: false });
    await migrate(db, new Date());
    for (let batch = 0; batch < 7; batch++) {
      const old = Array.from({ length: 500 }, () => event("2026-01-01T00:00:00.000Z"));
      await requestEventTable.insertMany(db, old);
    }

    const others = countEventLoopTurns();
    const dropped = await deleteRequestEvents(db, new Date("2026-01-02T00:00:00.000Z"));
    const turns = others.stop();

    expect(dropped).toBe(3_500);
    expect(turns).toBeGreaterThanOrEqual(3);
    await db.close();
  });

  test("an event that the database rejects does not affect others", async () => {
    await using database = await freshDatabase(kind);
    const db = await openDb(database.url, { durable: false });
    await migrate(db, new Date());
    const events = writeEvents(db, () => {});
    const [one, other] = [event("2026-01-01T00:00:00.000Z"), event("2026-01-02T00:00:00.000Z")];

    const refused = Object.assign(event("2026-01-03T00:00:00.000Z"), { trace_id: null });

    for (const each of [one, refused, other]) events.record(each);
    await events.stop();

    expect(await requestEventTable.all(db)).toEqual([one, other]);
    expect(events.lost()).toBe(1);
    await db.close();
  });

  test("an event written when the connection broke is neither duplicated nor lost", async () => {
    await using database = await freshDatabase(kind);
    const db = await openDb(database.url, { durable: false });
    await migrate(db, new Date());
    const [one, other] = [event("2026-01-01T00:00:00.000Z"), event("2026-01-02T00:00:00.000Z")];
    await requestEventTable.insertMany(db, [one]);
    const logged: string[] = [];
    const events = writeEvents(db, (name) => logged.push(name));

    for (const each of [one, other]) events.record(each);
    await events.stop();

    expect(await requestEventTable.all(db)).toEqual([one, other]);
    expect([events.lost(), logged]).toEqual([0, []]);
    await db.close();
  });

  test("events of full and partial batches are written once each", async () => {
    await using database = await freshDatabase(kind);
    const db = await openDb(database.url, { durable: false });
    await migrate(db, new Date());
    const events = writeEvents(db, () => {});

    for (let i = 0; i < 700; i++) {
      events.record(event("2026-01-01T00:00:00.000Z"));
      if (i % 50 === 0) await new Promise(setImmediate); // a batch may be on its way while others come
    }
    await events.stop();

    expect(await requestEventTable.all(db)).toHaveLength(700);
    expect(events.lost()).toBe(0);
    await db.close();
  });

  test("a selective filter scans a limited number of events per page and skips none", async () => {
    await using database = await freshDatabase(kind);
    const db = await openDb(database.url, { durable: false });
    await migrate(db, new Date());
    const time = Date.parse("2026-01-01T00:00:00.000Z");
    const rare = { status: 502, error_code: "upstream_failed", trace_id: "rare" };
    for (let at = 0; at < 25_000; at += 500) {
      const some = Array.from({ length: 500 }, (_, index) => ({
        ...event(new Date(time + at + index).toISOString()),
        ...(at + index === 7 && rare),
      }));
      await requestEventTable.insertMany(db, some);
    }
    const query = { limit: 50, q: undefined, sort: undefined };
    const range = { column: "time", from: undefined, to: undefined };
    const page = (filter: object, cursor?: string) =>
      pageRequestEvents(db, { gateway_id: "g", ...filter }, { ...query, cursor }, { range });

    const found: number[] = [];
    let cursor: string | undefined;
    do {
      const { items, next_cursor } = await page({ consumer_id: "c", status: 502 }, cursor);
      found.push(items.length);
      cursor = next_cursor ?? undefined;
    } while (cursor);
    const traced = await page({ trace_id: "rare" });
    const all = await page({ consumer_id: "c" });

    expect(found).toEqual([0, 0, 1]);
    expect(traced.items).toMatchObject([rare]);
    expect(all.items).toHaveLength(50);
    await db.close();
  });
});

test("events still queued at exit are reported", async () => {
  await using database = await freshDatabase("postgres");
  const db = await openDb(database.url, { durable: false });
  await db.close();
  const logged: string[] = [];
  const events = writeEvents(db, (name) => logged.push(name));

  events.record(event("2026-01-01T00:00:00.000Z"));
  await events.stop();

  expect(logged).toEqual(["events_held", "events_dropped"]);
});

test("on SQLite a trace and a consumer use their own index in large tables", async () => {
  await using database = await freshDatabase("sqlite");
  const db = await openDb(database.url, { durable: false });
  await migrate(db, new Date());
  for (let consumer = 0; consumer < 20; consumer++) {
    const more = () => ({ trace_id: crypto.randomUUID(), consumer_id: `c${consumer}` });
    const some = Array.from({ length: 100 }, () => ({
      ...event("2026-01-01T00:00:00.000Z"),
      ...more(),
    }));
    await requestEventTable.insertMany(db, some);
  }
  const query = { limit: 50, cursor: undefined, q: undefined, sort: undefined };
  const range = { column: "time", from: "2026-01-01", to: "2026-02-01" };
  const planOf = async (where: object) => {
    let plan = "";
    const explained: typeof db = {
      ...db,
      many: async (text, ...values) => {
        plan = JSON.stringify(await db.many(`EXPLAIN QUERY PLAN ${text}`, ...values));
        return [];
      },
    };
    await pageRequestEvents(explained, { gateway_id: "g", ...where }, query, { range });
    return plan;
  };

  await analyzeTables(db);

  expect(await planOf({ trace_id: "t" })).toContain("request_events_by_trace");
  expect(await planOf({ consumer_id: "c1" })).toContain("request_events_by_consumer");
  await db.close();
});

test("SQLite deletes many events by index, also with the statistics of a table that was small", async () => {
  await using database = await freshDatabase("sqlite");
  const db = await openDb(database.url, { durable: false });
  await migrate(db, new Date());
  const insert = (count: number) =>
    requestEventTable.insertMany(
      db,
      Array.from({ length: count }, () => event("2026-01-01T00:00:00.000Z")),
    );
  await insert(10);
  await db.run("ANALYZE");
  for (let batch = 0; batch < 4; batch++) await insert(500);
  const plans: string[] = [];
  const explained: typeof db = {
    ...db,
    run: async (text, ...values) => {
      const plan = await db.many(`EXPLAIN QUERY PLAN ${text}`, ...values);
      if (text.startsWith("DELETE")) plans.push(JSON.stringify(plan));
      return await db.run(text, ...values);
    },
  };

  const dropped = await deleteRequestEvents(explained, new Date("2026-01-02T00:00:00.000Z"));

  expect(dropped).toBe(2_010);
  expect(plans.slice(1).filter((plan) => plan.includes("SCAN request_events"))).toEqual([]);
  await db.close();
});
