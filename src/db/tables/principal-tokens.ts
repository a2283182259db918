/** The principal_tokens table: hashes only. */
import type { PrincipalToken } from "../../contract/store/principals.ts";
import { table } from "../table.ts";

export interface PrincipalTokenRow extends Omit<PrincipalToken, "state"> {
  hash: string;
  /** The sign-in whose accounts it uses; null: one of its own. */
  sign_in: string | null;
  /** The first token of its chain of rotations; null: it is the first itself. */
  origin_id: string | null;
}

export const principalTokenTable = table<PrincipalTokenRow>({
  name: "principal_tokens",
  columns: {
    id: "text",
    gateway_id: "text",
    principal_sub: "text",
    groups: "json",
    name: "text",
    hash: "text",
    hint: "text",
    expires_at: "text",
    revoked_at: "text",
    sign_in: "text",
    origin_id: "text",
    created_by: "text",
    last_used_at: "text",
    created_at: "text",
  },
  search: ["name", "principal_sub", "hint"],
  sort: ["created_at", "name", "principal_sub"],
});
