/** The database interface for SQLite and Postgres. SQL uses `$1` parameters and runs on both. */
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";

export type Value = string | number | boolean | null;

export interface Db {
  dialect: "sqlite" | "postgres";
  one<Row>(sql: string, ...values: Value[]): Promise<Row | undefined>;
  many<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /** Runs a transaction. Use only `tx` inside; a nested transaction joins the outer one. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Subscribes to notifications of other nodes (Postgres only). */
  onNotice(channel: string, call: () => void): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** false: recent writes may be lost in a power failure, but not when the process crashes. */
  durable?: boolean;
}

export async function openDb(url: string, { durable = true }: OpenOptions = {}): Promise<Db> {
  return /^postgres(ql)?:/.test(url) ? openPostgres(url) : await openSqlite(url, durable);
}
