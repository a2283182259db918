/** Columns that all tables of Store servers share. */
import type { CatalogEntry } from "../../../contract/store/catalog.ts";
import { StateBadge } from "../../ui/badge.tsx";
import type { Column } from "../../ui/table.tsx";

export const SERVER_COLUMN: Column<CatalogEntry> = {
  head: "Server",
  rowHeader: true,
  cell: ({ name, code }) => (
    <>
      {name}
      <br />
      <code className="muted">{code}</code>
    </>
  ),
};

export const STATUS_COLUMN: Column<CatalogEntry> = {
  head: "Status",
  cell: ({ status }) => <StateBadge on={status === "shown"} words={["shown", "hidden"]} />,
};
