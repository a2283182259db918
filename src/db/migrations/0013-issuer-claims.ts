/** Time at which an issuer registered its issuer and audience; null: when it was created. */
import type { Migration } from "./migration.ts";

export const issuerClaims: Migration = {
  id: "0013-issuer-claims",
  sql: `
    ALTER TABLE issuers ADD COLUMN claimed_at TEXT;
  `,
};
