/** Guarantees of the database layer, on both databases. */
import { afterAll, describe, expect, test } from "bun:test";
import { AppError } from "../../src/contract/errors.ts";
import { changeConfig, configRevision } from "../../src/db/config-revision.ts";
import { type Db, openDb } from "../../src/db/db.ts";
import { migrate } from "../../src/db/migrate.ts";
import { migrations } from "../../src/db/migrations/all.ts";
import { gatewayTable } from "../../src/db/tables/gateways.ts";
import {
  deleteExpiredReplies,
  idempotentReplyTable,
  storeReply,
} from "../../src/db/tables/idempotent-replies.ts";
import { databaseKinds, freshDatabase } from "../kit/services.ts";

const AT = "2026-01-02T03:04:05.000Z";
const gateway = (id: string, name = id) => ({
  id,
  name,
  slug: `slug-${id}`,
  required_plugins: [],
  metadata: { team: "ä" },
  store: { default_level: "request", public_catalog: false } as const,
  guard: { collector_id: null },
  version: 1,
  created_at: AT,
  updated_at: AT,
});

describe.each(databaseKinds)("%s", (kind) => {
  const opened: { close: () => Promise<void> }[] = [];
  afterAll(async () => {
    for (const one of opened) await one.close();
  });

  async function fresh(): Promise<Db & { url: string }> {
    const { url, [Symbol.asyncDispose]: dispose } = await freshDatabase(kind);
    const db = await openDb(url);
    await migrate(db, new Date(AT));
    opened.push({ close: () => db.close().then(() => dispose()) });
    return { ...db, url };
  }

  test("a row is read as it was written", async () => {
    const db = await fresh();

    await gatewayTable.insert(db, gateway("a"));

    expect(await gatewayTable.find(db, { id: "a" })).toEqual(gateway("a"));
  });

  test("the first of two replies to one Idempotency-Key is kept until it expires", async () => {
    const db = await fresh();
    const row = { id: "a", request_hash: "h", reply: "first", created_at: AT, owner: "", bytes: 5 };
    await storeReply(db, row);
    await storeReply(db, { ...row, reply: "second" });
    await storeReply(db, { ...row, id: "b", created_at: "2026-01-03T00:00:00.000Z" });

    const first = await idempotentReplyTable.find(db, { id: "a" });
    const dropped = await deleteExpiredReplies(db, new Date("2026-01-03T00:00:00.000Z"));

    expect(first?.reply).toBe("first");
    expect(dropped).toBe(1);
    expect(await idempotentReplyTable.all(db)).toMatchObject([{ id: "b" }]);
  });

  test("a failed transaction is rolled back without affecting concurrent writes", async () => {
    const db = await fresh();

    const failing = db.transaction(async (tx) => {
      await gatewayTable.insert(tx, gateway("lost"));
      await Bun.sleep(30);
      throw new AppError("conflict");
    });
    await Bun.sleep(5);
    await Promise.allSettled([failing, gatewayTable.insert(db, gateway("kept"))]);

    expect((await gatewayTable.all(db)).map(({ id }) => id)).toEqual(["kept"]);
  });

  test("a transaction inside a transaction joins it", async () => {
    const db = await fresh();

    const failing = db.transaction(async (tx) => {
      await tx.transaction((inner) => gatewayTable.insert(inner, gateway("a")));
      throw new AppError("conflict");
    });

    expect(failing).rejects.toThrow(AppError);
    await failing.catch(() => {});
    expect(await gatewayTable.all(db)).toEqual([]);
  });

  test("a duplicate unique value is already_exists and names the column", async () => {
    const db = await fresh();
    await gatewayTable.insert(db, gateway("a"));

    const second = gatewayTable.insert(db, { ...gateway("b"), slug: "slug-a" });

    expect(second).rejects.toMatchObject({
      code: "already_exists",
      message: expect.stringContaining("slug"),
    });
    await second.catch(() => {});
  });

  test("a dangling reference is a conflict", async () => {
    const db = await fresh();

    const orphan = db.run(
      "INSERT INTO consumer_keys (id, consumer_id, name, hash, hint, created_at) VALUES ('k', 'none', 'n', 'h', 'h', '')",
    );

    expect(orphan).rejects.toMatchObject({ code: "conflict" });
    await orphan.catch(() => {});
  });

  test("pages have no gaps or repeats while rows are inserted and deleted", async () => {
    const db = await fresh();
    const names = Array.from({ length: 25 }, (_, index) => `n${String(index).padStart(2, "0")}`);
    for (const name of names) await gatewayTable.insert(db, gateway(`id-${name}`, name));

    const first = await gatewayTable.page(
      db,
      {},
      { limit: 10, sort: "-name", cursor: undefined, q: undefined },
    );
    await gatewayTable.remove(db, { id: "id-n24" });
    await gatewayTable.insert(db, gateway("id-n99", "n99"));
    const second = await gatewayTable.page(
      db,
      {},
      { limit: 20, sort: "-name", cursor: first.next_cursor ?? "", q: undefined },
    );

    expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(names.toReversed());
    expect(second.next_cursor).toBeNull();
  });

  test("search takes % and _ literally and ignores case", async () => {
    const db = await fresh();
    for (const name of ["100% Sure", "100 sure", "under_score"])
      await gatewayTable.insert(db, gateway(name));
    const found = async (q: string) =>
      (
        await gatewayTable.page(db, {}, { limit: 50, q, cursor: undefined, sort: undefined })
      ).items.map(({ name }) => name);

    expect(await found("100% s")).toEqual(["100% Sure"]);
    expect(await found("r_s")).toEqual(["under_score"]);
    expect(await found("SURE")).toEqual(["100 sure", "100% Sure"]);
  });

  test("two nodes that start at once migrate once", async () => {
    const { url, [Symbol.asyncDispose]: dispose } = await freshDatabase(kind);
    const [one, other] = [await openDb(url), await openDb(url)];

    const ran = await Promise.all([migrate(one, new Date(AT)), migrate(other, new Date(AT))]);

    expect(ran.flat()).toEqual(migrations.map(({ id }) => id));
    await Promise.all([one.close(), other.close()]);
    await dispose();
  });

  test("a database of a newer release is rejected", async () => {
    const db = await fresh();
    await db.run("INSERT INTO migrations (id, applied_at) VALUES ('9999-later', '')");

    const again = migrate(db, new Date(AT));

    expect(again).rejects.toMatchObject({ code: "bad_settings" });
    await again.catch(() => {});
  });
});

test("on Postgres a frozen node blocks others for seconds only", async () => {
  await using database = await freshDatabase("postgres");
  const [still, other] = [await openDb(database.url), await openDb(database.url)];
  await migrate(still, new Date(AT));
  const [began, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const kept = changeConfig(still, async (tx) => {
    began.resolve();
    await goOn.promise;
    await gatewayTable.insert(tx, gateway("g1"));
  }).catch((thrown) => thrown);
  await began.promise;

  await changeConfig(other, async () => {});
  goOn.resolve();

  expect(await kept).toMatchObject({ code: "unavailable" });
  expect([await configRevision(other), await gatewayTable.all(still)]).toEqual([1, []]);
  await Promise.all([still.close(), other.close()]);
}, 30_000);

test("a full disk is unavailable, also if SQLite has already rolled back", async () => {
  const db = await openDb("sqlite::memory:");
  await db.run("CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)");
  const insert = (length: number) =>
    db.transaction((tx) =>
      tx.run("INSERT OR ROLLBACK INTO texts (text) VALUES ($1)", "x".repeat(length)),
    );
  await db.one("PRAGMA max_page_count = 10");

  const refused = await insert(100_000).catch((thrown) => thrown);
  const repeated = await db
    .transaction((tx) => tx.run("INSERT OR ROLLBACK INTO texts (id) VALUES (1), (1)"))
    .catch((thrown) => thrown);
  await insert(10);

  expect([refused.code, refused.message]).toEqual(["unavailable", expect.stringContaining("full")]);
  expect(repeated.code).toBe("already_exists");
  await db.close();
});

test("while another process writes to SQLite, reads continue and writes wait outside of other transactions", async () => {
  await using database = await freshDatabase("sqlite");
  const db = await openDb(database.url);
  await migrate(db, new Date());
  const other = await openDb(database.url);
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const long = other.transaction(async () => {
    begun.resolve();
    await held.promise;
  });
  await begun.promise;

  const lone = gatewayTable.insert(db, gateway("lone"));
  const undone = db.transaction(async (tx) => {
    await gatewayTable.insert(tx, gateway("undone"));
    await Bun.sleep(20);
    throw new Error("no");
  });
  const done = db.transaction((tx) => gatewayTable.insert(tx, gateway("done")));
  await Bun.sleep(30);
  const read = await Promise.race([gatewayTable.all(db), Bun.sleep(500)]);
  held.resolve();
  const ends = await Promise.allSettled([long, lone, undone, done]);

  expect(read).toEqual([]);
  expect(ends.map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  expect((await gatewayTable.all(db)).map(({ id }) => id).sort()).toEqual(["done", "lone"]);
  await other.close();
  await db.close();
});
