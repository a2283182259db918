/** The database, SQLite or Postgres, behind four calls. SQL is written once with `$1` and runs on both. */
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";

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

export interface OpenOptions {
  /** false: what was just written may be lost with the power, but never by a crash of the process. */
  durable?: boolean;
}

export async function openDb(url: string, { durable = true }: OpenOptions = {}): Promise<Db> {
  return /^postgres(ql)?:/.test(url) ? openPostgres(url) : await openSqlite(url, durable);
}
