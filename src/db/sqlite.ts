/** SQLite, by Bun's own engine: one connection, its statements prepared once. */
import { Database, type Statement } from "bun:sqlite";
import { resolve } from "node:path";
import { createSemaphore } from "../lib/concurrency/semaphore.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import type { Db, Value } from "./db.ts";
import { asAppError, guarded } from "./driver-error.ts";
import { joined } from "./joined.ts";
import { INCREMENTAL } from "./reclaim-space.ts";

/** The file of an SQLite address; undefined for any other, and for one in memory. */
export function sqliteFile(url: string): string | undefined {
  const [, file] = /^sqlite:(?:\/\/)?([^?]*)/.exec(url) ?? [];
  return file && file !== ":memory:" ? resolve(file) : undefined;
}

export async function openSqlite(url: string, durable: boolean): Promise<Db> {
  return await guarded(async () => {
    const sqlite = new Database(sqliteFile(url) ?? ":memory:", { create: true, readwrite: true });
    // Before the first write, which fixes it for the life of the file.
    await patient(() => sqlite.exec(`PRAGMA auto_vacuum = ${INCREMENTAL}`));
    await patient(() => sqlite.exec("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON"));
    // FULL waits for the disk at every commit, and the whole process waits with it.
    sqlite.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`);
    return opened(sqlite);
  });
}

function opened(sqlite: Database): Db {
  const statement = preparedOnce(sqlite);
  // There is one connection: a statement from elsewhere would otherwise join an open transaction.
  const alone = createSemaphore(1);
  let turns = 0;
  /** Whoever waits for another process has no turn meanwhile: those who only read go on. */
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    turns += 1;
    try {
      return await guarded(() => patient(() => alone(work)));
    } finally {
      turns -= 1;
    }
  };
  /** Where nobody has a turn, a statement is over before anybody could take one. */
  const atOnce = async <T>(work: () => T): Promise<T> => {
    if (turns > 0) return await inTurn(async () => work());
    try {
      return work();
    } catch (thrown) {
      if (!isBusy(thrown)) throw asAppError(thrown);
    }
    return await inTurn(async () => work());
  };
  const inside = joined(calls(statement, (work) => guarded(async () => work())));
  return {
    ...calls(statement, atOnce),
    transaction: (work) =>
      inTurn(async () => {
        sqlite.exec("BEGIN IMMEDIATE");
        try {
          const result = await work(inside);
          await inside.run("COMMIT"); // its errors are no longer those that are waited out: nothing is done twice
          return result;
        } catch (thrown) {
          // On a full disk SQLite has done it already, and would fail with that instead.
          if (sqlite.inTransaction) sqlite.exec("ROLLBACK");
          throw thrown;
        }
      }),
    onNotice: async () => {},
    close: () => alone(async () => sqlite.close()),
  };
}

type Prepared = Statement<unknown, Value[]>;

function calls(
  statement: (text: string) => Prepared,
  run: <T>(work: () => T) => Promise<T>,
): Pick<Db, "dialect" | "one" | "many" | "run"> {
  return {
    dialect: "sqlite",
    // The caller names the shape of its own rows; the driver cannot know it.
    one: <Row>(text: string, ...values: Value[]) =>
      run(() => (statement(text).get(...values) ?? undefined) as Row | undefined),
    many: <Row>(text: string, ...values: Value[]) =>
      run(() => statement(text).all(...values) as Row[]),
    run: (text, ...values) => run(() => statement(text).run(...values).changes),
  };
}

/** Most texts come again and again; lists of varying length would otherwise gather without end. */
const MAX_PREPARED = 300;

function preparedOnce(sqlite: Database): (text: string) => Prepared {
  const known = new Map<string, Prepared>();
  return (text) => {
    const ready = known.get(text);
    if (ready) return ready;
    if (known.size >= MAX_PREPARED) {
      for (const old of known.values()) old.finalize();
      known.clear();
    }
    // SQLite takes $1 for a name and looks through all names for each; ?1 is the number itself.
    // Measured, 500 rows of 21 columns in one statement: 598 µs a row with names, 18 with numbers.
    const fresh: Prepared = sqlite.prepare(text.replace(/\$(?=\d)/g, "?"));
    known.set(text, fresh);
    return fresh;
  };
}

/** SQLite's own wait would hold up every request of this process; this one lets them go on. */
async function patient<T>(work: () => T | Promise<T>): Promise<T> {
  // By the clock: on a busy process a step takes several times as long as it says.
  for (const began = elapsedMs(); ; ) {
    try {
      return await work();
    } catch (thrown) {
      if (!isBusy(thrown) || elapsedMs() - began >= BUSY_MOST_MS) throw thrown;
      await Bun.sleep(BUSY_STEP_MS);
    }
  }
}

const isBusy = (thrown: unknown): boolean =>
  thrown instanceof Error && "code" in thrown && /^SQLITE_BUSY/.test(String(thrown.code));

const BUSY_STEP_MS = 10;
const BUSY_MOST_MS = 10_000;
