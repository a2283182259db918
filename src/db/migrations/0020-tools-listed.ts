/** Records that an MCP server has listed its tools, because its first list may be empty. */
import type { Migration } from "./migration.ts";

export const toolsListed: Migration = {
  id: "0020-tools-listed",
  sql: `
    ALTER TABLE registries ADD COLUMN tools_listed BOOLEAN NOT NULL DEFAULT FALSE;
  `,
};
