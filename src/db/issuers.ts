/** The issuers table: whose tokens a gateway takes for its principals. */
import type { Issuer } from "../contract/store-principals.ts";
import { table } from "./table.ts";

export const issuerTable = table<Issuer>({
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
    version: "number",
    created_at: "text",
    updated_at: "text",
  },
  search: ["name", "issuer"],
  sort: ["created_at", "name", "updated_at"],
});
