/** The columns that every table of Store servers has: which one it is, and whether people see it. */
import type { CatalogEntry } from "../../../contract/store-catalog.ts";
import { OnOff } from "../../ui/badge.tsx";
import type { Column } from "../../ui/table.tsx";

export const SERVER: Column<CatalogEntry> = {
  head: "Server",
  names: true,
  cell: ({ name, code }) => (
    <>
      {name}
      <br />
      <code className="muted">{code}</code>
    </>
  ),
};

export const STATUS: Column<CatalogEntry> = {
  head: "Status",
  cell: ({ status }) => <OnOff on={status === "shown"} words={["shown", "hidden"]} />,
};
