/** The oauth_flows table: pending OAuth authorizations. Single-use, valid for ten minutes. */
import type { Db } from "../db.ts";
import { table } from "../table.ts";

export interface OauthFlowRow {
  id: string;
  /** SHA-256 of the state parameter. */
  state_hash: string;
  gateway_id: string;
  principal_sub: string;
  instance_id: string;
  /** The client that the code is issued to; null: the previous release started it. */
  registration_id: string | null;
  /** Resource indicator (RFC 8707) of the tokens; empty: none, null: not recorded, so that of the server applies. */
  resource: string | null;
  /** The principal who started the flow and must complete it. */
  sign_in: string | null;
  /** Sealed. */
  code_verifier: string;
  expires_at: string;
  created_at: string;
}

export const oauthFlowTable = table<OauthFlowRow>({
  name: "oauth_flows",
  columns: {
    id: "text",
    state_hash: "text",
    gateway_id: "text",
    principal_sub: "text",
    instance_id: "text",
    registration_id: "text",
    resource: "text",
    sign_in: "text",
    code_verifier: "text",
    expires_at: "text",
    created_at: "text",
  },
  search: [],
  sort: ["created_at"],
});

/** Deletes flows that were not completed in time. */
export async function deleteExpiredFlows(db: Db, at: string): Promise<void> {
  await db.run("DELETE FROM oauth_flows WHERE expires_at <= $1", at);
}
