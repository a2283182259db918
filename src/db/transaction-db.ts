/** Creates the `Db` of an open transaction. */
import type { Db } from "./db.ts";

export function createTransactionDb(calls: Pick<Db, "dialect" | "one" | "many" | "run">): Db {
  const tx: Db = {
    ...calls,
    transaction: (work) => work(tx),
    onNotice: () => Promise.reject(new Error("A transaction cannot listen.")),
    close: () => Promise.reject(new Error("A transaction cannot be closed.")),
  };
  return tx;
}
