/** The user of a request, as the caller names it. */
import type { Migration } from "./migration.ts";

export const requestUsers: Migration = {
  id: "0032-request-users",
  // No index: a filter by user reads pages of bounded size, as the other filters do.
  sql: "ALTER TABLE request_events ADD COLUMN user_id TEXT;",
};
