/** The store_grants table: installs that an approval allows beyond the access level. */
import type { StoreGrant } from "../../contract/store/grants.ts";
import { table } from "../table.ts";

export type StoreGrantRow = StoreGrant;

export const storeGrantTable = table<StoreGrantRow>({
  name: "store_grants",
  columns: {
    id: "text",
    gateway_id: "text",
    principal_sub: "text",
    code: "text",
    instance_id: "text",
    approved_by: "text",
    expires_at: "text",
    created_at: "text",
  },
  search: ["principal_sub", "code"],
  sort: ["created_at"],
});
