/** The database, SQLite or Postgres, behind four calls. SQL is written once with `$1` and runs on both. */
import { SQL } from "bun";
import { AppError } from "../contract/errors.ts";

export type Value = string | number | boolean | null;

export interface Db {
  dialect: "sqlite" | "postgres";
  one<Row>(sql: string, ...values: Value[]): Promise<Row | undefined>;
  many<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** How many rows changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /** All or nothing. Inside, only `tx` may be used; a transaction inside a transaction joins it. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Calls back when another node says the configuration changed (Postgres only; others poll). */
  onNotice(channel: string, call: () => void): Promise<void>;
  close(): Promise<void>;
}

type Runs = Pick<SQL, "unsafe">;

export async function openDb(url: string): Promise<Db> {
  return /^postgres(ql)?:/.test(url) ? openPostgres(url) : await openSqlite(url);
}

function openPostgres(url: string): Db {
  const sql = new SQL({ url, max: 10, idleTimeout: 60, connectionTimeout: 5, bigint: true });
  return {
    ...calls("postgres", sql, (work) => work()),
    transaction: (work) =>
      guarded(() => sql.begin((tx) => work(joined("postgres", tx, (inner) => inner())))),
    onNotice: async (channel, call) => {
      await sql.listen(channel, call);
    },
    close: () => sql.close({ timeout: 5 }),
  };
}

async function openSqlite(url: string): Promise<Db> {
  const sql = new SQL(url);
  // FULL: a change that was answered survives a power cut, not only a killed process.
  for (const pragma of ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"]) {
    await guarded(() => patient(() => sql.unsafe(`PRAGMA ${pragma}`)));
  }
  const alone = oneAtATime();
  const inTransaction = <T>(work: (tx: Db) => Promise<T>) =>
    alone(async () => {
      await patient(() => sql.unsafe("BEGIN IMMEDIATE"));
      try {
        const result = await work(joined("sqlite", sql, (inner) => inner()));
        await sql.unsafe("COMMIT");
        return result;
      } catch (thrown) {
        await sql.unsafe("ROLLBACK");
        throw thrown;
      }
    });
  return {
    ...calls("sqlite", sql, (work) => alone(() => patient(work))),
    transaction: (work) => guarded(() => inTransaction(work)),
    onNotice: async () => {},
    close: () => alone(() => sql.close()),
  };
}

/** SQLite's own wait would hold up every request of this process; this one lets them go on. */
async function patient<T>(work: () => Promise<T>): Promise<T> {
  for (let waited = 0; ; waited += BUSY_STEP_MS) {
    try {
      return await work();
    } catch (thrown) {
      const busy =
        thrown instanceof Error && "code" in thrown && /^SQLITE_BUSY/.test(String(thrown.code));
      if (!busy || waited >= BUSY_MOST_MS) throw thrown;
      await Bun.sleep(BUSY_STEP_MS);
    }
  }
}

const BUSY_STEP_MS = 10;
const BUSY_MOST_MS = 10_000;

/** SQLite has one connection here: a statement from elsewhere would otherwise join an open transaction. */
function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => {});
    return mine;
  };
}

function joined(
  dialect: Db["dialect"],
  sql: Runs,
  alone: <T>(work: () => Promise<T>) => Promise<T>,
): Db {
  const tx: Db = {
    ...calls(dialect, sql, alone),
    transaction: (work) => work(tx),
    onNotice: () => Promise.reject(new Error("A transaction cannot listen.")),
    close: () => Promise.reject(new Error("A transaction cannot be closed.")),
  };
  return tx;
}

function calls(
  dialect: Db["dialect"],
  sql: Runs,
  alone: <T>(work: () => Promise<T>) => Promise<T>,
): Pick<Db, "dialect" | "one" | "many" | "run"> {
  const ask = (text: string, values: Value[]) =>
    guarded(() => alone(async () => await sql.unsafe(text, values)));
  return {
    dialect,
    one: async (text, ...values) => (await ask(text, values))[0],
    many: async (text, ...values) => [...(await ask(text, values))],
    run: async (text, ...values) => {
      const result = await ask(text, values);
      return dialect === "sqlite" ? Number(result.affectedRows ?? 0) : Number(result.count ?? 0);
    },
  };
}

/** The border: what the driver throws becomes an error that a caller can act on. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof AppError ? thrown : asAppError(thrown);
  }
}

function asAppError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  // `code`, `errno` and `detail` are what Bun's two database errors carry beside the message.
  const { code = "", errno = "", detail = "" } = thrown as Error & Record<string, unknown>;
  const state = String(code === "ERR_POSTGRES_SERVER_ERROR" ? errno : code);
  if (state === "23505" || /SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)/.test(state)) {
    const column = uniqueColumn(thrown.message, String(detail));
    return new AppError("already_exists", `${column}: this value is already taken.`, {
      cause: thrown,
    });
  }
  if (state === "23503" || state === "SQLITE_CONSTRAINT_FOREIGNKEY") {
    return new AppError("conflict", "Something this refers to is gone, or is still in use.", {
      cause: thrown,
    });
  }
  // Text that Postgres cannot hold, such as NUL; no schema of ours lets it through on purpose.
  if (state === "22021" || state === "22P05") {
    return new AppError("validation_failed", "A text holds a character that cannot be stored.", {
      cause: thrown,
    });
  }
  if (isConnectionLoss(state)) return new AppError("unavailable", undefined, { cause: thrown });
  return thrown;
}

/** The last column of the violated index is the one a caller chose; the ones before only scope it. */
function uniqueColumn(message: string, detail: string): string {
  const columns = /Key \(([^)]*)\)/.exec(detail)?.[1] ?? /failed: (.*)$/.exec(message)?.[1] ?? "";
  return columns.split(/, ?/).at(-1)?.replace(/^.*\./, "") || "value";
}

const isConnectionLoss = (state: string): boolean =>
  /^ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME)|^(57P0\d|08...|53300)$|^E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|NOTFOUND)|^Connection|^SQLITE_BUSY/.test(
    state,
  );
