/** Rejects every call as `unavailable` until the database has passed its checks. */
import { AppError } from "../contract/errors.ts";
import type { Db } from "./db.ts";

export function rejectUntilReady(db: Db, isOpen: () => boolean): Db {
  const ready = async (): Promise<Db> => {
    if (!isOpen()) throw new AppError("unavailable");
    return db;
  };
  return {
    dialect: db.dialect,
    one: async (...query) => (await ready()).one(...query),
    many: async (...query) => (await ready()).many(...query),
    run: async (...query) => (await ready()).run(...query),
    transaction: async (work) => (await ready()).transaction(work),
    onNotice: async (...notice) => (await ready()).onNotice(...notice),
    close: db.close,
  };
}
