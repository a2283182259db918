/** The admin_tokens table: hashes only. */
import type { AdminToken } from "../../contract/tokens.ts";
import { table } from "../table.ts";

export interface AdminTokenRow extends Omit<AdminToken, "state"> {
  hash: string;
}

export const adminTokenTable = table<AdminTokenRow>({
  name: "admin_tokens",
  columns: {
    id: "text",
    name: "text",
    role: "text",
    gateway_ids: "json",
    principal_sub: "text",
    hash: "text",
    hint: "text",
    expires_at: "text",
    revoked_at: "text",
    last_used_at: "text",
    created_at: "text",
  },
  search: ["name", "hint"],
  sort: ["created_at", "name", "role"],
});
