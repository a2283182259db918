/** The resource that the tokens of an account are for: principals of one instance may use different ones. */
import type { Migration } from "./migration.ts";

export const accountResources: Migration = {
  id: "0033-account-resources",
  sql: `
    ALTER TABLE oauth_flows ADD COLUMN resource TEXT;
    ALTER TABLE store_credentials ADD COLUMN resource TEXT;
  `,
};
