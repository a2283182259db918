/** The issuers table: identity providers whose tokens a gateway accepts. */
import type { Issuer } from "../../contract/store/principals.ts";
import type { Db } from "../db.ts";
import { table } from "../table.ts";

export interface IssuerRow extends Issuer {
  /** Time at which it registered its issuer and audience; null: when it was created. */
  claimed_at: string | null;
}

export const issuerTable = table<IssuerRow>({
  name: "issuers",
  columns: {
    id: "text",
    gateway_id: "text",
    name: "text",
    issuer: "text",
    audience: "text",
    jwks_url: "text",
    subject_claim: "text",
    groups_claim: "text",
    enabled: "bool",
    allow_private: "bool",
    listed: "bool",
    claimed_at: "text",
    version: "number",
    created_at: "text",
    updated_at: "text",
  },
  search: ["name", "issuer"],
  sort: ["created_at", "name", "updated_at"],
});

/** Returns the enabled issuers of this `iss`, over all gateways, the earliest claim first. */
export async function issuersByClaim(db: Db, issuer: string): Promise<IssuerRow[]> {
  const rows = await issuerTable.all(db, { issuer, enabled: true });
  const key = ({ claimed_at, created_at, id }: IssuerRow) => `${claimed_at ?? created_at} ${id}`;
  return rows.sort((one, other) => (key(one) < key(other) ? -1 : 1));
}
