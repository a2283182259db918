/** The administrator's token that filed a Store request in another name: its owner must not decide it. */
import type { Migration } from "./migration.ts";

export const requestFilers: Migration = {
  id: "0038-request-filers",
  sql: "ALTER TABLE store_requests ADD COLUMN requested_by TEXT;",
};
