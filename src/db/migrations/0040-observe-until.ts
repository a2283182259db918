/** Adds the time until which a collector only observes. */
import type { Migration } from "./migration.ts";

export const observeUntil: Migration = {
  id: "0040-observe-until",
  sql: "ALTER TABLE collectors ADD COLUMN observe_until TEXT;",
};
