/** Adds the owner and size of stored replies, so that those of evaluations are bounded for each collector. */
import type { Migration } from "./migration.ts";

export const idempotentReplyOwners: Migration = {
  id: "0016-idempotent-reply-owners",
  sql: `
    -- Empty for replies of the admin API, which are bounded by age alone.
    ALTER TABLE idempotent_replies ADD COLUMN owner TEXT NOT NULL DEFAULT '';
    ALTER TABLE idempotent_replies ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX idempotent_replies_by_owner ON idempotent_replies (owner, created_at, bytes);
  `,
};
