import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Db, openDb } from "../../src/db/db.ts";
import { migrate } from "../../src/db/migrate.ts";
import { countEvaluations } from "../../src/db/tables/count-evaluations.ts";
import {
  findEvaluation,
  insertEvaluations,
  type RecordedEvaluation,
} from "../../src/db/tables/evaluation-events.ts";
import {
  type AbandonedJournal,
  findAbandonedJournals,
  openJournal,
} from "../../src/lib/journal.ts";
import type { Log } from "../../src/lib/log.ts";
import { recoverEvents } from "../../src/server/writers/recover-events.ts";
import { writeEvaluations } from "../../src/server/writers/write-evaluations.ts";
import { eventOf, idOf } from "../kit/evaluation-event.ts";
import { databaseKinds, freshDatabase } from "../kit/services.ts";
import { until } from "../kit/until.ts";

test.each(databaseKinds)(
  "%s: an event that the database rejects does not affect others",
  async (kind) => {
    const { url } = await freshDatabase(kind);
    const db = await openDb(url, { durable: false });
    await migrate(db, new Date());
    const writer = writeEvaluations(db, () => {}, { commit: "before" });
    const events = [1, 2, 3, 4].map((number) => eventOf(idOf(number)));
    Object.assign(events[1] ?? {}, { trace_id: null });

    await Promise.all(events.map((event) => writer.record({ event, content: null })));

    expect(await countEvaluations(db, {})).toEqual({ allow: 3 });
    expect([writer.lost(), writer.waiting()]).toEqual([1, 0]);
  },
);

test.each(databaseKinds)(
  "%s: an event written when the connection broke is neither duplicated nor lost",
  async (kind) => {
    await using database = await freshDatabase(kind);
    const db = await openDb(database.url, { durable: false });
    await migrate(db, new Date());
    await insertEvaluations(db, [recordedOf(1)]);
    const logged: string[] = [];
    const writer = writeEvaluations(db, (name) => logged.push(name), { commit: "before" });

    await Promise.all([1, 2].map((number) => writer.record(recordedOf(number))));

    expect(await countEvaluations(db, {})).toEqual({ allow: 2 });
    expect([writer.lost(), logged]).toEqual([0, []]);
    await db.close();
  },
);

test("events still queued at exit are reported", async () => {
  await using database = await freshDatabase("postgres");
  const db = await openDb(database.url, { durable: false });
  await migrate(db, new Date());
  await db.close();
  const logged: string[] = [];
  const writer = writeEvaluations(db, (name) => logged.push(name), { commit: "after" });

  await writer.record(recordedOf(1));
  await writer.stop();

  expect(logged).toEqual(["evaluations_held", "evaluations_dropped"]);
});

const quiet = () => {};

const recoverEvaluations = (db: Db, log: Log, journals: AbandonedJournal[]) =>
  recoverEvents<RecordedEvaluation>(log, journals, {
    kind: "evaluations",
    insert: (rows) => insertEvaluations(db, rows),
  });

async function withJournal(stack: AsyncDisposableStack) {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-journal-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const db = await openDb(`sqlite://${join(folder, "p.db")}`, { durable: false });
  stack.defer(() => db.close());
  await migrate(db, new Date());
  const path = join(folder, "p.db-activity");
  const journals = () => readdirSync(folder).filter((name) => name.startsWith("p.db-activity"));
  const logged: string[] = [];
  return { db, path, journals, logged, log: (event: string) => logged.push(event) };
}

const recordedOf = (number: number, text = `é ${number}`) => ({
  event: eventOf(idOf(number)),
  content: [{ pointer: "/input", inner: null, source: "user", role: null, text }],
});

test("a journaled event is written once, whether or not its process wrote it", async () => {
  await using stack = new AsyncDisposableStack();
  const { db, path, journals } = await withJournal(stack);
  const killed = openJournal(path);
  for (const number of [1, 2, 3]) killed.append([JSON.stringify(recordedOf(number))]);
  killed.append(['{"event": {"id": "cut o']);
  await insertEvaluations(db, [recordedOf(2)]); // committed, but killed before the journal was cleared

  await recoverEvaluations(db, quiet, await findAbandonedJournals(path));
  const left = journals();
  await recoverEvaluations(db, quiet, await findAbandonedJournals(path));

  expect(left).toEqual([]);
  expect(await countEvaluations(db, {})).toEqual({ allow: 3 });
  expect(await findEvaluation(db, idOf(3))).toMatchObject(recordedOf(3));
});

test("with a journal no response waits for the database, and the journal is deleted once all is written", async () => {
  await using stack = new AsyncDisposableStack();
  const { db, path, journals } = await withJournal(stack);
  const writer = writeEvaluations(db, quiet, { commit: "before", journal: openJournal(path) });

  await Promise.all([1, 2, 3].map((number) => writer.record(recordedOf(number))));
  const before = [writer.waiting(), journals().length];
  await writer.written();

  expect(before).toEqual([3, 1]);
  expect([writer.waiting(), journals().length]).toEqual([0, 0]);
  expect(await countEvaluations(db, {})).toEqual({ allow: 3 });
});

test("6.1 many concurrent events are all written without a flush", async () => {
  await using stack = new AsyncDisposableStack();
  const { db, path, journals } = await withJournal(stack);
  const writer = writeEvaluations(db, quiet, { commit: "before", journal: openJournal(path) });
  const numbers = Array.from({ length: 300 }, (_, index) => index);

  await Promise.all(numbers.map((number) => writer.record(recordedOf(number))));
  await until(() => writer.waiting() === 0);

  expect(await countEvaluations(db, {})).toEqual({ allow: 300 });
  expect([writer.lost(), journals().length]).toEqual([0, 0]);
});

test("if the journal fails, a response waits for the commit, and this is logged once", async () => {
  await using stack = new AsyncDisposableStack();
  const { db, path } = await withJournal(stack);
  const logged: string[] = [];
  const journal = openJournal(join(path, "no-such-folder", "activity"));
  const writer = writeEvaluations(db, (event) => logged.push(event), { commit: "before", journal });

  await Promise.all([1, 2].map((number) => writer.record(recordedOf(number))));

  expect(writer.waiting()).toBe(0);
  expect(await countEvaluations(db, {})).toEqual({ allow: 2 });
  expect(logged).toEqual(["journal_failed"]);
});

test("if the journal has room for one of two concurrent events, only the other one fails in an outage", async () => {
  await using stack = new AsyncDisposableStack();
  const { db, path, journals } = await withJournal(stack);
  const room = JSON.stringify(recordedOf(1)).length + 10;
  const writer = writeEvaluations(db, quiet, {
    commit: "before",
    journal: openJournal(path, room),
  });

  await db.one("PRAGMA query_only = 1");
  const recorded = await Promise.allSettled(
    [1, 2].map((number) => writer.record(recordedOf(number))),
  );
  const kept = journals().map((name) => readFileSync(join(dirname(path), name), "utf8"));
  await db.one("PRAGMA query_only = 0");
  await writer.stop();

  expect(recorded.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(kept.join()).toContain(idOf(1));
  expect([await countEvaluations(db, {}), writer.unrecorded()]).toEqual([{ allow: 2 }, 1]);
});

test("while the disk of the database is full, the journal keeps the events", async () => {
  await using stack = new AsyncDisposableStack();
  const { db, path, journals } = await withJournal(stack);
  const writer = writeEvaluations(db, quiet, { commit: "before", journal: openJournal(path) });
  const { page_count } = (await db.one<{ page_count: number }>("PRAGMA page_count")) ?? {};
  await db.one(`PRAGMA max_page_count = ${page_count}`);
  const long = {
    ...recordedOf(1),
    content: [{ ...recordedOf(1).content[0], text: "x".repeat(99_999) }],
  };

  await writer.record(long as ReturnType<typeof recordedOf>);
  await writer.stop(); // like a process that exits
  const kept = [writer.waiting(), journals().length];
  const held: string[] = [];
  await recoverEvaluations(db, (event) => held.push(event), await findAbandonedJournals(path));
  const still = journals().length;
  await db.one("PRAGMA max_page_count = 1000000");
  await recoverEvaluations(db, quiet, await findAbandonedJournals(path));

  expect(kept).toEqual([1, 1]);
  expect([held, still]).toEqual([["evaluations_held"], 1]);
  expect([await countEvaluations(db, {}), journals()]).toEqual([{ allow: 1 }, []]);
});

test("a second process does not touch the journal of a running one", async () => {
  await using stack = new AsyncDisposableStack();
  const { db, path, journals, logged, log } = await withJournal(stack);
  const writer = writeEvaluations(db, log, { commit: "before", journal: openJournal(path) });

  await writer.record(recordedOf(1));
  await recoverEvaluations(db, quiet, await findAbandonedJournals(path)); // like the start of the second process
  await writer.record(recordedOf(2));
  const kept = journals().map((name) => readFileSync(join(dirname(path), name), "utf8"));
  await writer.written();

  expect(kept.join()).toContain(idOf(2));
  expect([await countEvaluations(db, {}), logged]).toEqual([{ allow: 2 }, []]);
});

test("two processes that start at once both find all events of a third", async () => {
  await using stack = new AsyncDisposableStack();
  const { db, path, journals, logged, log } = await withJournal(stack);
  openJournal(path).append([JSON.stringify(recordedOf(1))]);
  const left = await findAbandonedJournals(path);

  const held = [await recoverEvaluations(db, log, left), await recoverEvaluations(db, log, left)];

  expect([held, journals()]).toEqual([[[], []], []]);
  expect(await countEvaluations(db, {})).toEqual({ allow: 1 });
  expect(logged).toEqual(["evaluations_recovered", "evaluations_recovered"]);
});

test("an unreadable journal delays neither the start nor other journals", async () => {
  await using stack = new AsyncDisposableStack();
  const { db, path, journals } = await withJournal(stack);
  mkdirSync(`${path}-0`);
  writeFileSync(
    `${path}-1`,
    'null\n5\n{}\n{"event":{"id":{}}}\n{"event":{"id":"x","findings":[null]}}',
  );
  openJournal(path).append([JSON.stringify(recordedOf(1))]);

  await recoverEvaluations(db, quiet, await findAbandonedJournals(path));

  expect(await countEvaluations(db, {})).toEqual({ allow: 1 });
  expect(journals()).toEqual(["p.db-activity-0"]);
});

test("a journal that cannot be deleted is logged, and the next evaluations are written", async () => {
  await using stack = new AsyncDisposableStack();
  const { db, path, journals, logged, log } = await withJournal(stack);
  const writer = writeEvaluations(db, log, { commit: "before", journal: openJournal(path) });

  await writer.record(recordedOf(1));
  const [name = ""] = journals();
  rmSync(join(dirname(path), name));
  mkdirSync(join(dirname(path), name)); // a directory, which cannot be deleted like a file
  await writer.written();
  await writer.record(recordedOf(2));
  await writer.written();

  expect(await countEvaluations(db, {})).toEqual({ allow: 2 });
  expect([logged, journals()]).toEqual([["journal_failed"], [name]]);
});

test("events are queued while the database is read-only", async () => {
  await using stack = new AsyncDisposableStack();
  const { db, path, journals } = await withJournal(stack);
  const writer = writeEvaluations(db, quiet, { commit: "before", journal: openJournal(path) });

  await db.one("PRAGMA query_only = 1");
  await writer.record(recordedOf(1));
  await writer.written();
  const held = [writer.waiting(), writer.lost(), journals().length];
  await db.one("PRAGMA query_only = 0");
  await writer.stop();

  expect(held).toEqual([1, 0, 1]);
  expect([await countEvaluations(db, {}), journals()]).toEqual([{ allow: 1 }, []]);
});

test("nothing is written after close, so the database may be closed", async () => {
  await using stack = new AsyncDisposableStack();
  const { db, path, journals } = await withJournal(stack);
  const writer = writeEvaluations(db, quiet, { commit: "before", journal: openJournal(path) });

  await db.one("PRAGMA query_only = 1");
  await writer.record(recordedOf(1));
  await writer.stop();
  await db.one("PRAGMA query_only = 0");
  await Bun.sleep(600); // longer than the retry delay

  expect([await countEvaluations(db, {}), journals().length]).toEqual([{}, 1]);
});

test.each([
  ["very many", 5_000, ""],
  ["very long ones", 60, "a".repeat(1024 * 1024)],
])("writing %s yields to other work", async (_, count, text) => {
  await using stack = new AsyncDisposableStack();
  const { db, path } = await withJournal(stack);
  const writer = writeEvaluations(db, quiet, { commit: "before", journal: openJournal(path) });
  for (let number = 0; number < count; number += 1) {
    void writer.record(recordedOf(number, `${number} ${text}`));
  }

  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 1);
  stack.defer(() => clearInterval(counting));
  await writer.written();

  expect(turns).toBeGreaterThan(10);
  expect(await countEvaluations(db, {})).toEqual({ allow: count });
});

test("6.1 a flush does not wait for later events", async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = await freshDatabase("postgres");
  const db = await openDb(url, { durable: false });
  stack.defer(() => db.close());
  await migrate(db, new Date());
  const writer = writeEvaluations(db, quiet, { commit: "after" });
  stack.defer(() => writer.stop());
  let [number, more] = [0, true];
  const flush = async () => {
    for (; more && number < 20_000; await new Promise(setImmediate)) {
      void writer.record(recordedOf(number++));
    }
  };

  const flushed = flush();
  await writer.written();
  const until = number;
  more = false;
  await flushed;

  expect(until).toBeLessThan(10_000);
});
