/** Adds the first token of each chain of rotations, whose creator must not decide requests of the later ones. */
import type { Migration } from "./migration.ts";

export const tokenOrigins: Migration = {
  id: "0036-token-origins",
  sql: "ALTER TABLE principal_tokens ADD COLUMN origin_id TEXT;",
};
