/** Opens Postgres through `Bun.SQL` and its connection pool. */
import type { SQL } from "bun";
import type { Db, Value } from "./db.ts";
import { convertErrors } from "./driver-error.ts";
import { connectPostgres } from "./postgres-connection.ts";
import { createTransactionDb } from "./transaction-db.ts";

export function openPostgres(url: string): Db {
  const connection = connectPostgres(url);
  return {
    ...calls(connection.query),
    transaction: (work) =>
      convertErrors(() =>
        connection.query((sql) =>
          sql.begin((tx) => work(createTransactionDb(calls((query) => query(tx))))),
        ),
      ),
    onNotice: connection.listen,
    close: connection.close,
  };
}

type RunQuery = <T>(query: (sql: Pick<SQL, "unsafe">) => Promise<T>) => Promise<T>;

function calls(runQuery: RunQuery): Pick<Db, "dialect" | "one" | "many" | "run"> {
  const execute = (text: string, values: Value[]) =>
    convertErrors(() => runQuery(async (sql) => await sql.unsafe(text, values)));
  return {
    dialect: "postgres",
    one: async (text, ...values) => (await execute(text, values))[0],
    many: async (text, ...values) => [...(await execute(text, values))],
    run: async (text, ...values) => Number((await execute(text, values)).count ?? 0),
  };
}
