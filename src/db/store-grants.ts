/** The store_grants table: what approvals allow while the access level alone does not. */
import { table } from "./table.ts";

export interface StoreGrantRow {
  id: string;
  gateway_id: string;
  principal_sub: string;
  code: string;
  instance_id: string;
  approved_by: string;
  /** null: it does not end. */
  expires_at: string | null;
  created_at: string;
}

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
