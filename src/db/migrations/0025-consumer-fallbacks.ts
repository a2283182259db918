/** The models that a consumer falls back to, in order. */
import type { Migration } from "./migration.ts";

export const consumerFallbacks: Migration = {
  id: "0025-consumer-fallbacks",
  sql: `
    ALTER TABLE consumers ADD COLUMN fallbacks TEXT NOT NULL DEFAULT '[]';
  `,
};
