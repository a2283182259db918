/** The token that a rotated personal token replaces first: its creator may have rotated it, and must not decide. */
import type { Migration } from "./migration.ts";

export const tokenOrigins: Migration = {
  id: "0036-token-origins",
  sql: "ALTER TABLE principal_tokens ADD COLUMN origin_id TEXT;",
};
