/** The Store servers that come with the program: public ones, described from their vendors' public pages. */
import type { z } from "zod";
import { CatalogEntryInput } from "./store-catalog.ts";

const ENTRIES: z.input<typeof CatalogEntryInput>[] = [
  {
    code: "com.notion/mcp",
    name: "Notion",
    vendor: "Notion",
    category: "productivity",
    url: "https://mcp.notion.com/mcp",
    auth: { type: "oauth" },
    description: "Searches, reads and writes the pages and databases of a workspace.",
  },
];

export const SHIPPED_CATALOG: readonly CatalogEntryInput[] = ENTRIES.map((entry) =>
  CatalogEntryInput.parse(entry),
);
