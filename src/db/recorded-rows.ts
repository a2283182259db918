/** Records the rows that queries return, and answers the same queries from the record. */
import { AppError } from "../contract/errors.ts";
import type { Db, Value } from "./db.ts";

/** Rows as JSON, by query. */
export type RecordedRows = Record<string, string>;

/** Returns a Db that copies what it reads into `rows`. */
export function recording(db: Db, rows: RecordedRows): Db {
  const many = async <Row>(sql: string, ...values: Value[]): Promise<Row[]> => {
    const found = await db.many<Row>(sql, ...values);
    // At once: tables decode their rows in place.
    rows[nameOf(sql, values)] = JSON.stringify(found, withoutBigint);
    return found;
  };
  return { ...db, many, one: async <Row>(...query: Query) => (await many<Row>(...query))[0] };
}

/** Returns a Db that knows only what was recorded. Any other call is `unavailable`. */
export function replaying(rows: RecordedRows, dialect: Db["dialect"]): Db {
  const refuse = async (): Promise<never> => {
    throw new AppError("unavailable");
  };
  const many = async <Row>(sql: string, ...values: Value[]): Promise<Row[]> => {
    const recorded = rows[nameOf(sql, values)];
    return recorded === undefined ? await refuse() : JSON.parse(recorded);
  };
  return {
    dialect,
    many,
    one: async <Row>(...query: Query) => (await many<Row>(...query))[0],
    run: refuse,
    transaction: refuse,
    onNotice: refuse,
    close: async () => {},
  };
}

type Query = [sql: string, ...values: Value[]];

const nameOf = (sql: string, values: readonly Value[]): string => JSON.stringify([sql, ...values]);

/** Postgres returns BIGINT columns as bigint, which JSON does not have. All of ours are small. */
const withoutBigint = (_: string, value: unknown) =>
  typeof value === "bigint" ? Number(value) : value;
