/** Two nodes of one installation. On SQLite the other hears no notice: it finds a change by looking, as one of a command. */
import { startKit } from "./kit.ts";
import type { DatabaseKind } from "./services.ts";

export async function twoNodes(database: DatabaseKind) {
  const one = await startKit({ database });
  const other = await startKit({ database_url: one.database_url, data_dir: one.data_dir });
  return {
    one,
    other,
    async [Symbol.asyncDispose]() {
      await other[Symbol.asyncDispose]();
      await one[Symbol.asyncDispose]();
    },
  };
}
