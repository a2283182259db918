/** Postgres, by Bun's own client and its pool of connections. */
import type { SQL } from "bun";
import type { Db, Value } from "./db.ts";
import { guarded } from "./driver-error.ts";
import { joined } from "./joined.ts";
import { keepPostgres } from "./postgres-link.ts";

export function openPostgres(url: string): Db {
  const link = keepPostgres(url);
  return {
    ...calls(link.ask),
    transaction: (work) =>
      guarded(() =>
        link.ask((sql) => sql.begin((tx) => work(joined(calls((question) => question(tx)))))),
      ),
    onNotice: link.listen,
    close: link.close,
  };
}

type Ask = <T>(question: (sql: Pick<SQL, "unsafe">) => Promise<T>) => Promise<T>;

function calls(ask: Ask): Pick<Db, "dialect" | "one" | "many" | "run"> {
  const answer = (text: string, values: Value[]) =>
    guarded(() => ask(async (sql) => await sql.unsafe(text, values)));
  return {
    dialect: "postgres",
    one: async (text, ...values) => (await answer(text, values))[0],
    many: async (text, ...values) => [...(await answer(text, values))],
    run: async (text, ...values) => Number((await answer(text, values)).count ?? 0),
  };
}
