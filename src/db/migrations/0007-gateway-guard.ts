/** The collector that evaluates the tool calls of a gateway. */
import type { Migration } from "./migration.ts";

export const gatewayGuard: Migration = {
  id: "0007-gateway-guard",
  sql: `
    ALTER TABLE gateways ADD COLUMN guard TEXT NOT NULL DEFAULT '{"collector_id":null}';
  `,
};
