/** The origins whose pages may call a consumer from a browser. */
import type { Migration } from "./migration.ts";

export const consumerCors: Migration = {
  id: "0017-consumer-cors",
  sql: `
    ALTER TABLE consumers ADD COLUMN cors TEXT NOT NULL DEFAULT '{"origins":[]}';
  `,
};
