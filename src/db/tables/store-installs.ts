/** The store_installs table: the installed instances of each principal. Uninstalling deletes the row. */
import type { Db } from "../db.ts";
import { table } from "../table.ts";

export interface StoreInstallRow {
  id: string;
  gateway_id: string;
  principal_sub: string;
  code: string;
  instance_id: string;
  installed_by: string;
  /** The principal's own values by field, each sealed. */
  config: Record<string, string>;
  /** By field: the sign-in that entered it and may use it. Fields entered by an administrator are not listed. */
  filled_by: Record<string, string>;
  /** Expiry of the approval that allows the install. */
  ends_at: string | null;
  created_at: string;
}

export const storeInstallTable = table<StoreInstallRow>({
  name: "store_installs",
  columns: {
    id: "text",
    gateway_id: "text",
    principal_sub: "text",
    code: "text",
    instance_id: "text",
    installed_by: "text",
    config: "json",
    filled_by: "json",
    ends_at: "text",
    created_at: "text",
  },
  search: ["principal_sub", "code"],
  sort: ["created_at", "principal_sub", "code"],
});

/** Returns the ids of installed instances. */
export async function instancesInUse(db: Db): Promise<string[]> {
  const rows = await db.many<{ instance_id: string }>(
    "SELECT DISTINCT instance_id FROM store_installs",
  );
  return rows.map(({ instance_id }) => instance_id);
}
