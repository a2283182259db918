/** Records the rows that queries return, and replays them for the same queries. */
import { AppError } from "../contract/errors.ts";
import type { Db, Value } from "./db.ts";

/** Rows as JSON, by query. */
export type RecordedRows = Record<string, string>;

/** Returns a Db that copies what it reads into `rows`. */
export function recordRows(db: Db, rows: RecordedRows): Db {
  const many = async <Row>(sql: string, ...values: Value[]): Promise<Row[]> => {
    const found = await db.many<Row>(sql, ...values);
    // Before returning: tables decode their rows in place.
    rows[nameOf(sql, values)] = JSON.stringify(found, withoutBigint);
    return found;
  };
  return { ...db, many, one: async <Row>(...query: Query) => (await many<Row>(...query))[0] };
}

/** Returns a Db that replays recorded rows and rejects any other call as `unavailable`. */
export function replayRows(rows: RecordedRows, dialect: Db["dialect"]): Db {
  const reject = async (): Promise<never> => {
    throw new AppError("unavailable");
  };
  const many = async <Row>(sql: string, ...values: Value[]): Promise<Row[]> => {
    const recorded = rows[nameOf(sql, values)];
    return recorded === undefined ? await reject() : JSON.parse(recorded);
  };
  return {
    dialect,
    many,
    one: async <Row>(...query: Query) => (await many<Row>(...query))[0],
    run: reject,
    transaction: reject,
    onNotice: reject,
    close: async () => {},
  };
}

type Query = [sql: string, ...values: Value[]];

const nameOf = (sql: string, values: readonly Value[]): string => JSON.stringify([sql, ...values]);

/** Converts bigint, which Postgres returns for BIGINT columns and JSON lacks. All our values are small. */
const withoutBigint = (_: string, value: unknown) =>
  typeof value === "bigint" ? Number(value) : value;
