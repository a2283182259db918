/** Adds whether clients that look for a login find the issuer. Those of earlier releases stay listed. */
import type { Migration } from "./migration.ts";

export const listedIssuers: Migration = {
  id: "0037-listed-issuers",
  sql: "ALTER TABLE issuers ADD COLUMN listed BOOLEAN NOT NULL DEFAULT TRUE;",
};
