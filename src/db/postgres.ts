/** Postgres, by Bun's own client and its pool of connections. */
import { SQL } from "bun";
import type { Db, Value } from "./db.ts";
import { guarded } from "./driver-error.ts";
import { joined } from "./joined.ts";

export function openPostgres(url: string): Db {
  const sql = new SQL({ url, max: 10, idleTimeout: 60, connectionTimeout: 5, bigint: true });
  return {
    ...calls(sql),
    transaction: (work) => guarded(() => sql.begin((tx) => work(joined(calls(tx))))),
    onNotice: async (channel, call) => {
      await sql.listen(channel, call);
    },
    close: () => sql.close({ timeout: 5 }),
  };
}

function calls(sql: Pick<SQL, "unsafe">): Pick<Db, "dialect" | "one" | "many" | "run"> {
  const ask = (text: string, values: Value[]) =>
    guarded(async () => await sql.unsafe(text, values));
  return {
    dialect: "postgres",
    one: async (text, ...values) => (await ask(text, values))[0],
    many: async (text, ...values) => [...(await ask(text, values))],
    run: async (text, ...values) => Number((await ask(text, values)).count ?? 0),
  };
}
