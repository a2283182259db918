import { expect, test } from "bun:test";
import type { Finding } from "../../src/contract/guard/evaluate.ts";
import { openDb } from "../../src/db/db.ts";
import { migrate } from "../../src/db/migrate.ts";
import { countEvaluations } from "../../src/db/tables/count-evaluations.ts";
import {
  deleteEvaluations,
  findEvaluation,
  insertEvaluations,
} from "../../src/db/tables/evaluation-events.ts";
import { pageEvaluations } from "../../src/db/tables/find-evaluations.ts";
import { countEventLoopTurns } from "../kit/count-event-loop-turns.ts";
import { eventOf, idOf } from "../kit/evaluation-event.ts";
import { databaseKinds, freshDatabase } from "../kit/services.ts";

const NEEDLES = [10, 400, 5_399];
const COUNT = 10_400;

test.each(databaseKinds)(
  "%s: a text search runs in steps, yields between them, and its pages skip no event",
  async (kind) => {
    const { url } = await freshDatabase(kind);
    const db = await openDb(url, { durable: false });
    await migrate(db, new Date());
    const place = { pointer: "/input", inner: null, source: "user", role: null };
    for (let at = 0; at < COUNT; at += 200) {
      const ids = Array.from({ length: 200 }, (_, index) => at + index);
      await insertEvaluations(
        db,
        ids.map((number) => ({
          event: eventOf(idOf(number)),
          // At both ends of the second scan step, and in the last one.
          content: [{ ...place, text: NEEDLES.includes(number) ? 'a "Needle"\n' : "hay" }],
        })),
      );
    }
    const filters = { q: 'needle"\n' };
    const query = { filters, limit: 10, order: "newest" } as const;

    const others = countEventLoopTurns();
    const pages: string[][] = [];
    let after: string | undefined;
    do {
      const page = await pageEvaluations(db, { ...query, after });
      pages.push(page.items.map(({ id }) => id));
      after = page.next ?? undefined;
    } while (after);
    const turns = others.stop();

    expect(turns).toBeGreaterThanOrEqual(2);
    expect(pages).toEqual([[], [idOf(5_399), idOf(400)], [idOf(10)]]);
    await db.close();
  },
  60_000,
);

test.each(databaseKinds)(
  "%s: a count of many events yields between steps and counts each event once",
  async (kind) => {
    await using database = await freshDatabase(kind);
    const db = await openDb(database.url, { durable: false });
    await migrate(db, new Date());
    const MANY = 45_000;
    for (let at = 0; at < MANY; at += 500) {
      const ids = Array.from({ length: 500 }, (_, index) => idOf(at + index));
      await insertEvaluations(
        db,
        ids.map((id) => ({ event: eventOf(id), content: null })),
      );
    }
    const others = countEventLoopTurns();

    const all = await countEvaluations(db, {});
    const filtered = await countEvaluations(db, { status: "allow" });
    const turns = others.stop();

    expect(all).toEqual({ allow: MANY });
    expect(filtered).toEqual({ allow: MANY });
    expect(turns).toBeGreaterThanOrEqual(2);
    const since = new Date(1_767_225_600_000 + 10_000).toISOString();
    const until = new Date(1_767_225_600_000 + 40_001).toISOString();
    expect(await countEvaluations(db, { from: since, to: until })).toEqual({ allow: 30_001 });
    await db.close();
  },
  60_000,
);

test.each(databaseKinds)(
  "%s: events are exported and deleted in steps that yield to other queries",
  async (kind) => {
    await using database = await freshDatabase(kind);
    const db = await openDb(database.url, { durable: false });
    await migrate(db, new Date());
    const MANY = 2_500;
    for (let at = 0; at < MANY; at += 500) {
      const ids = Array.from({ length: 500 }, (_, index) => idOf(at + index));
      await insertEvaluations(
        db,
        ids.map((id) => ({ event: { ...eventOf(id), consumer_id: "ana" }, content: null })),
      );
    }
    const reading = countEventLoopTurns();
    let exported = 0;
    let after: string | undefined;
    do {
      const query = { filters: {}, limit: 500, after, order: "oldest" } as const;
      const page = await pageEvaluations(db, query);
      exported += page.items.length;
      after = page.next ?? undefined;
    } while (after);
    const whileReading = reading.stop();
    const dropping = countEventLoopTurns();
    const dropped = await deleteEvaluations(db, { consumer_id: "ana" });
    const whileDropping = dropping.stop();

    expect([exported, dropped]).toEqual([MANY, MANY]);
    expect(whileReading).toBeGreaterThanOrEqual(4);
    expect(whileDropping).toBeGreaterThanOrEqual(2);
    expect(await countEvaluations(db, {})).toEqual({});
    await db.close();
  },
);

test.each(databaseKinds)(
  "%s: an event is found by its trace, whether generated or sent by the client",
  async (kind) => {
    await using database = await freshDatabase(kind);
    const db = await openDb(database.url, { durable: false });
    await migrate(db, new Date());
    const [own, sent, alike] = [idOf(1), idOf(2), idOf(3)];
    const traces = { [own]: digitsOf(own), [sent]: "theirs", [alike]: digitsOf(own) };
    const recorded = Object.entries(traces).map(([id, trace_id]) => ({
      event: { ...eventOf(id), trace_id },
      content: null,
    }));
    await insertEvaluations(db, recorded);

    const found = async (trace_id: string) => {
      const query = { filters: { trace_id }, limit: 10, order: "newest" } as const;
      return (await pageEvaluations(db, query)).items.map(({ id }) => id);
    };

    expect(await found(digitsOf(own))).toEqual([alike, own]);
    expect(await found("theirs")).toEqual([sent]);
    // Its event has another trace.
    expect(await found(digitsOf(sent))).toEqual([]);
    await db.close();
  },
);

test.each(databaseKinds)(
  "%s: an event is found by its session by an index, also if the session is an id or ends with a trace",
  async (kind) => {
    await using database = await freshDatabase(kind);
    const db = await openDb(database.url, { durable: false });
    await migrate(db, new Date());
    const trace = digitsOf(idOf(9));
    const own = digitsOf(idOf(6));
    const sessions = [
      { session_id: idOf(1), trace_id: digitsOf(idOf(1)) }, // generated
      { session_id: "chat-7", trace_id: "theirs" },
      { session_id: `slug/${trace}`, trace_id: trace }, // data plane, both directions
      { session_id: `slug/${trace}`, trace_id: trace },
      { session_id: `slug/${trace}`, trace_id: "another" },
      { session_id: own, trace_id: own },
    ];
    await insertEvaluations(
      db,
      sessions.map((names, index) => ({
        event: { ...eventOf(idOf(index + 1)), ...names },
        content: null,
      })),
    );
    const plans: string[] = [];
    const explained: typeof db = {
      ...db,
      many: async (text, ...values) => {
        if (db.dialect === "sqlite" && text.startsWith("SELECT e.id")) {
          plans.push(JSON.stringify(await db.many(`EXPLAIN QUERY PLAN ${text}`, ...values)));
        }
        return await db.many(text, ...values);
      },
    };

    const found = async (session_id: string) => {
      const query = { filters: { session_id }, limit: 10, order: "oldest" } as const;
      return (await pageEvaluations(explained, query)).items.map(({ id }) => id);
    };

    expect(await found(idOf(1))).toEqual([idOf(1)]);
    expect(await found("chat-7")).toEqual([idOf(2)]);
    expect(await found(`slug/${trace}`)).toEqual([idOf(3), idOf(4), idOf(5)]);
    expect(await found(own)).toEqual([idOf(6)]);
    expect(await found(trace)).toEqual([]);
    expect(plans.filter((plan) => plan.includes("SCAN"))).toEqual([]);
    await db.close();
  },
);

const digitsOf = (id: string) => id.replaceAll("-", "");

test.each(databaseKinds)(
  "%s: text stored by an older release stays with its events",
  async (kind) => {
    await using database = await freshDatabase(kind);
    const db = await openDb(database.url, { durable: false });
    await migrate(db, new Date(), "0009-request-events-by-id");
    const [kept, without] = [idOf(1), idOf(2)];
    for (const event of [eventOf(kept), eventOf(without)]) {
      const places = Object.keys(event).map((_, index) => `$${index + 1}`);
      const values = Object.values(event).map((value) =>
        typeof value === "object" && value !== null ? JSON.stringify(value) : value,
      );
      const columns = Object.keys(event).join(", ");
      await db.run(`INSERT INTO evaluation_events (${columns}) VALUES (${places})`, ...values);
    }
    const place = { pointer: "/input", inner: null, source: "user", role: null };
    await db.run(
      "INSERT INTO evaluation_contents (id, places, texts) VALUES ($1, $2, $3)",
      kept,
      JSON.stringify([place]),
      JSON.stringify(["hay"]),
    );

    await migrate(db, new Date());

    expect((await findEvaluation(db, kept))?.content).toEqual([{ ...place, text: "hay" }]);
    expect((await findEvaluation(db, without))?.content).toBe(null);
    await db.close();
  },
);

test.each(databaseKinds)(
  "%s: events with findings of every gate and rule are written in one batch",
  async (kind) => {
    const { url } = await freshDatabase(kind);
    const db = await openDb(url, { durable: false });
    await migrate(db, new Date());
    const findings = Array.from({ length: 200 }, (_, number) => gateFinding(`gate ${number}`));
    const recorded = Array.from({ length: 200 }, (_, number) => ({
      event: { ...eventOf(idOf(number)), findings },
      content: null,
    }));

    await insertEvaluations(db, recorded);

    const filters = { detector: "gate 199" };
    const counted = await countEvaluations(db, filters);
    const { items } = await pageEvaluations(db, { filters, limit: 1, order: "newest" });
    expect(counted).toMatchObject({ allow: 200 });
    expect(items[0]?.id).toBe(idOf(199));
  },
  20_000,
);

const gateFinding = (gate_name: string): Finding => ({
  source: { kind: "gate", gate_name, policy_id: idOf(0), policy_version: 1 },
  signal: { type: "gate_report", confidence: 1 },
  outcome: { action: "report" },
  evidence: {},
});

test.each(databaseKinds)("%s: erasing a consumer deletes all its events", async (kind) => {
  await using database = await freshDatabase(kind);
  const db = await openDb(database.url, { durable: false });
  await migrate(db, new Date());
  const of = (consumer_id: string, from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      event: { ...eventOf(idOf(from + index)), consumer_id },
      content: null,
    }));
  await insertEvaluations(db, of("ana", 0, 600));
  await insertEvaluations(db, of("ana", 600, 600));
  await insertEvaluations(db, of("bo", 1200, 1));

  const erased = await deleteEvaluations(db, { consumer_id: "ana" });
  const left = await countEvaluations(db, {});
  await db.close();

  expect(erased).toBe(1200);
  expect(left).toEqual({ allow: 1 });
});
