/** Describes a table by its columns and provides the statements that every table needs. */
import { AppError } from "../contract/errors.ts";
import type { PageQuery } from "../contract/shapes.ts";
import { invalidCursor } from "../contract/shapes.ts";
import type { Db, Value } from "./db.ts";

/** `json` is text in the database and a value in code; `bool` is 0/1 in SQLite. */
type Column = "text" | "number" | "bool" | "json";

export interface Page<Row> {
  items: Row[];
  next_cursor: string | null;
}

export interface PageFilter {
  /** Only rows whose id is listed. */
  ids?: readonly string[] | undefined;
  /** `from` belongs to the range, `to` does not. */
  range?: { column: string; from: string | undefined; to: string | undefined };
  /** A second range, on a column without an index. */
  numbers?: { column: string; from: number; to: number } | undefined;
  /** Caps the rows to scan: a page before the last may have fewer rows than the limit, or none. */
  scanLimit?: ScanLimit | undefined;
}

/** A query blocks the whole process on SQLite, so one with few matches must end early. */
export interface ScanLimit {
  rows: number;
  /** Members of `where` that have an index, together with the order of the list. */
  indexed: readonly string[];
}

export interface Table<Row extends { id: string }> {
  name: string;
  find(db: Db, where: Partial<Row>): Promise<Row | undefined>;
  /** Finds a row and locks it until the transaction ends. */
  lock(db: Db, where: Partial<Row>): Promise<Row | undefined>;
  all(db: Db, where?: Partial<Row>): Promise<Row[]>;
  page(db: Db, where: Partial<Row>, query: PageQuery, more?: PageFilter): Promise<Page<Row>>;
  insert(db: Db, row: Row): Promise<void>;
  /** Inserts all rows or none, in one statement. */
  insertMany(db: Db, rows: readonly Row[]): Promise<void>;
  update(db: Db, id: string, changes: Partial<Row>): Promise<void>;
  remove(db: Db, where: Partial<Row>): Promise<number>;
}

export function table<Row extends { id: string }>(spec: {
  name: string;
  columns: Record<keyof Row & string, Column>;
  /** Columns that `q` searches. */
  search: readonly (keyof Row & string)[];
  /** Columns `sort` may name: never null. The first is the default; a leading `-` reverses it. */
  sort: readonly [string, ...string[]];
}): Table<Row> {
  const names = Object.keys(spec.columns) as (keyof Row & string)[];
  const kinds = names.map((name) => spec.columns[name]);
  const select = `SELECT ${names.join(", ")} FROM ${spec.name}`;
  // Decodes in place and only where necessary: this runs for every row of the configuration.
  const differing = names.filter((name) => spec.columns[name] !== "text");
  const decode = (raw: Record<string, unknown>): Row => {
    for (const name of differing) raw[name] = fromDb(spec.columns[name], raw[name]);
    return raw as Row;
  };
  const encode = (name: keyof Row & string, value: unknown): Value =>
    toDb(spec.columns[name], value);

  const condition = (where: Partial<Row>, values: Value[]): string => {
    const parts = (Object.keys(where) as (keyof Row & string)[]).map((name) => {
      const value = encode(name, where[name]);
      return value === null ? `${name} IS NULL` : `${name} = $${values.push(value)}`;
    });
    return parts.join(" AND ") || "1 = 1";
  };
  const findWith = async (db: Db, where: Partial<Row>, suffix: string) => {
    const values: Value[] = [];
    const sql = `${select} WHERE ${condition(where, values)} LIMIT 1${suffix}`;
    const raw = await db.one<Record<string, unknown>>(sql, ...values);
    return raw && decode(raw);
  };

  async function insertAll(db: Db, rows: readonly Row[]): Promise<void> {
    const values: Value[] = [];
    for (const row of rows) {
      for (let at = 0; at < names.length; at++) {
        values.push(toDb(kinds[at], row[names[at] as keyof Row]));
      }
    }
    await db.run(insertSql(rows.length), ...values);
  }
  /** SQL texts by number of rows; few distinct numbers occur. */
  const insertTexts = new Map<number, string>();
  function insertSql(count: number): string {
    const known = insertTexts.get(count);
    if (known) return known;
    const rows = Array.from({ length: count }, (_, row) => {
      const places = names.map((_, column) => `$${row * names.length + column + 1}`);
      return `(${places.join(", ")})`;
    });
    const text = `INSERT INTO ${spec.name} (${names.join(", ")}) VALUES ${rows.join(", ")}`;
    insertTexts.set(count, text);
    return text;
  }

  return {
    name: spec.name,
    find: (db, where) => findWith(db, where, ""),
    lock: (db, where) => findWith(db, where, db.dialect === "postgres" ? " FOR UPDATE" : ""),

    async all(db, where = {}) {
      const values: Value[] = [];
      const sql = `${select} WHERE ${condition(where, values)} ORDER BY id`;
      return (await db.many<Record<string, unknown>>(sql, ...values)).map(decode);
    },

    async page(db, where, query, { ids, range, numbers, scanLimit } = {}) {
      const { column, down } = sortOf(query.sort ?? spec.sort[0], spec.sort);
      const order = down ? "DESC" : "ASC";
      const ordered = `ORDER BY ${column} ${order}, id ${order}`;
      const after =
        query.cursor === undefined
          ? undefined
          : readCursor(query.cursor, column, down, spec.columns);
      const conditionsFor = (by: Partial<Row>, edge?: [Value, string]) => {
        const values: Value[] = [];
        const conditions = [condition(by, values)];
        if (ids) conditions.push(ids.length ? `id IN (${list(ids, values)})` : "1 = 0");
        if (query.q) conditions.push(searchFor(query.q, spec.search, values));
        // One bound per side: with two, SQLite may scan the index from the wider one.
        const [lower, upper] = down ? [edge, after] : [after, edge];
        const isSortColumn = range?.column === column;
        if (range?.from && !(isSortColumn && lower)) {
          conditions.push(`${range.column} >= $${values.push(range.from)}`);
        }
        if (range?.to && !(isSortColumn && upper)) {
          conditions.push(`${range.column} < $${values.push(range.to)}`);
        }
        if (after) conditions.push(`(${column}, id) ${down ? "<" : ">"} ${place(after, values)}`);
        if (edge) conditions.push(`(${column}, id) ${down ? ">=" : "<="} ${place(edge, values)}`);
        return { values, conditions };
      };
      const edgeOf = async ({ rows, indexed }: ScanLimit): Promise<[Value, string] | undefined> => {
        const { values, conditions } = conditionsFor(pick(where, indexed));
        const row = await db.one<Record<string, Value> & { id: string }>(
          `SELECT ${column}, id FROM ${spec.name} WHERE ${conditions.join(" AND ")}
           ${ordered} LIMIT 1 OFFSET ${rows - 1}`,
          ...values,
        );
        return row && [row[column] ?? null, row.id];
      };

      const edge = scanLimit && (await edgeOf(scanLimit));
      const { values, conditions } = conditionsFor(where, edge);
      if (numbers) {
        conditions.push(`${numbers.column} >= $${values.push(numbers.from)}`);
        conditions.push(`${numbers.column} < $${values.push(numbers.to)}`);
      }
      const sql = `${select} WHERE ${conditions.join(" AND ")} ${ordered} LIMIT ${query.limit + 1}`;
      const rows = (await db.many<Record<string, unknown>>(sql, ...values)).map(decode);
      const items = rows.slice(0, query.limit);
      const last = rows.length > query.limit ? rows[query.limit - 1] : undefined;
      // `sortOf` has checked that the sort names a column.
      const end = last ? ([last[column as keyof Row] as Value, last.id] as const) : edge;
      return { items, next_cursor: end ? writeCursor(column, down, end) : null };
    },

    insert: (db, row) => insertAll(db, [row]),
    insertMany: insertAll,

    async update(db, id, changes) {
      const values: Value[] = [];
      const changed = (Object.keys(changes) as (keyof Row & string)[]).filter(
        (name) => name !== "id",
      );
      const sets = changed.map((name) => `${name} = $${values.push(encode(name, changes[name]))}`);
      const sql = `UPDATE ${spec.name} SET ${sets.join(", ")} WHERE id = $${values.push(id)}`;
      await db.run(sql, ...values);
    },

    async remove(db, where) {
      const values: Value[] = [];
      return await db.run(`DELETE FROM ${spec.name} WHERE ${condition(where, values)}`, ...values);
    },
  };
}

function toDb(column: Column | undefined, value: unknown): Value {
  if (value === null || value === undefined) return null;
  // The column kinds name exactly the types that Value holds.
  return column === "json" ? JSON.stringify(value) : (value as Value);
}

function fromDb(column: Column, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (column === "json") return JSON.parse(String(value));
  if (column === "bool") return Boolean(value);
  return column === "number" ? Number(value) : value;
}

const place = ([value, id]: [Value, string], values: Value[]): string =>
  `($${values.push(value)}, $${values.push(id)})`;

/** Returns the members with these names. */
const pick = <Row>(where: Partial<Row>, names: readonly string[]): Partial<Row> =>
  Object.fromEntries(
    Object.entries(where).filter(([name]) => names.includes(name)),
  ) as Partial<Row>;

const list = (items: readonly string[], values: Value[]): string =>
  items.map((item) => `$${values.push(item)}`).join(", ");

/** Returns the pattern for `LOWER(column) LIKE … ESCAPE '\\'` that finds `text`. */
export const likePattern = (text: string): string =>
  `%${text.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;

export function searchFor(text: string, columns: readonly string[], values: Value[]): string {
  const place = `$${values.push(likePattern(text))}`;
  return `(${columns.map((name) => `LOWER(${name}) LIKE ${place} ESCAPE '\\'`).join(" OR ")})`;
}

function sortOf(sort: string, allowed: readonly string[]): { column: string; down: boolean } {
  const down = sort.startsWith("-");
  const column = down ? sort.slice(1) : sort;
  if (!allowed.some((name) => name.replace(/^-/, "") === column)) {
    const known = allowed.map((name) => name.replace(/^-/, "")).join(", ");
    throw new AppError(
      "validation_failed",
      `sort: must be one of ${known}, with an optional leading "-" for descending order.`,
    );
  }
  return { column, down };
}

/** Encodes a cursor with its order, so that a cursor of another order is rejected instead of skipping rows. */
function writeCursor(column: string, down: boolean, place: readonly [Value, string]): string {
  return Buffer.from(JSON.stringify([column, down, ...place])).toString("base64url");
}

function readCursor(
  cursor: string,
  column: string,
  down: boolean,
  columns: Readonly<Record<string, Column>>,
): [Value, string] {
  try {
    const [name, order, value, id] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    const fits = name === column && order === down && typeof id === "string";
    // Postgres compares a column with values of its own type only.
    const type = columns[column] === "number" ? "number" : "string";
    if (fits && typeof value === type) return [value, id];
  } catch {
    // Not a cursor of ours: rejected below.
  }
  throw invalidCursor();
}
