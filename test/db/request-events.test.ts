/** Events end when their time is over, by the time that their id begins with. */
import { describe, expect, test } from "bun:test";
import { openDb } from "../../src/db/db.ts";
import { migrate } from "../../src/db/migrate.ts";
import { dropRequestEvents, requestEventTable } from "../../src/db/request-events.ts";
import { writeEvents } from "../../src/server/write-events.ts";
import { databaseKinds, freshDatabase } from "../kit/services.ts";

const event = (time: string) => ({
  id: Bun.randomUUIDv7("hex", Date.parse(time)),
  time,
  trace_id: "t",
  gateway_id: "g",
  consumer_id: "c",
  key_id: "k",
  endpoint: "chat",
  method: "POST",
  registry_id: null,
  provider: null,
  attempts: [],
  model_asked: null,
  model_sent: null,
  status: 200,
  error_code: null,
  request_bytes: 5_000_000_000,
  response_bytes: 1,
  ttfb_ms: 1.5,
  total_ms: 2.25,
  input_tokens: null,
  output_tokens: 7,
});

describe.each(databaseKinds)("%s", (kind) => {
  test("events before a moment are dropped, later ones stay as they were written", async () => {
    await using database = await freshDatabase(kind);
    const db = await openDb(database.url, { durable: false });
    await migrate(db, new Date());
    const [old, kept] = [event("2026-01-01T00:00:00.000Z"), event("2026-01-02T00:00:00.000Z")];
    await requestEventTable.insertMany(db, [old, kept]);

    const dropped = await dropRequestEvents(db, new Date("2026-01-01T12:00:00Z"));

    expect(dropped).toBe(1);
    expect(await requestEventTable.all(db)).toEqual([kept]);
    await db.close();
  });

  test("events in full batches and the rest are written, each once", async () => {
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
});
