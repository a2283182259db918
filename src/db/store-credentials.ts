/** The store_credentials table: the vault. One account for each principal and instance, tokens sealed. */
import { table } from "./table.ts";

export interface StoreCredentialRow {
  id: string;
  gateway_id: string;
  principal_sub: string;
  instance_id: string;
  /** Sealed. */
  access_token: string;
  /** Sealed; null: the upstream gave none. */
  refresh_token: string | null;
  /** Whose account it is, as the upstream says; empty when it does not. */
  account: string;
  scopes: string[];
  /** Of the access token; null: the upstream did not say. */
  expires_at: string | null;
  /** Counts writes: a refresh that lost to a sibling finds another number and reads again. */
  version: number;
  created_at: string;
  updated_at: string;
}

export const storeCredentialTable = table<StoreCredentialRow>({
  name: "store_credentials",
  columns: {
    id: "text",
    gateway_id: "text",
    principal_sub: "text",
    instance_id: "text",
    access_token: "text",
    refresh_token: "text",
    account: "text",
    scopes: "json",
    expires_at: "text",
    version: "number",
    created_at: "text",
    updated_at: "text",
  },
  search: ["principal_sub"],
  sort: ["created_at"],
});
