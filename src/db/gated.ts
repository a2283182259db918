/** Rejects every call as `unavailable` until the database has passed its checks. */
import { AppError } from "../contract/errors.ts";
import type { Db } from "./db.ts";

export function gated(db: Db, isOpen: () => boolean): Db {
  const opened = async (): Promise<Db> => {
    if (!isOpen()) throw new AppError("unavailable");
    return db;
  };
  return {
    dialect: db.dialect,
    one: async (...query) => (await opened()).one(...query),
    many: async (...query) => (await opened()).many(...query),
    run: async (...query) => (await opened()).run(...query),
    transaction: async (work) => (await opened()).transaction(work),
    onNotice: async (...notice) => (await opened()).onNotice(...notice),
    close: db.close,
  };
}
