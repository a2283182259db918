/** Wire shapes of Store grants: access that an approval gave, until it expires or is revoked (spec 4.1.2). */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id, PageQuery, page, Text, Time } from "../shapes.ts";
import { PrincipalSub } from "./access.ts";

export const StoreGrant = z.object({
  id: Id,
  gateway_id: Id,
  principal_sub: z.string(),
  code: z.string(),
  instance_id: Id,
  approved_by: z.string(),
  expires_at: Time.nullable().describe("null: never expires."),
  created_at: Time,
});
export type StoreGrant = z.infer<typeof StoreGrant>;

const path = "/v1/gateways/:gateway_id/store/grants";

export const listStoreGrants = endpoint({
  name: "list_store_grants",
  method: "GET",
  path,
  auth: "read",
  summary: "List grants, including expired ones",
  query: PageQuery.extend({
    principal_sub: PrincipalSub.optional(),
    code: Text.max(200).optional(),
  }),
  reply: page(StoreGrant),
});

export const revokeStoreGrant = endpoint({
  name: "revoke_store_grant",
  method: "DELETE",
  path: `${path}/:grant_id`,
  auth: "approve",
  summary: "Revoke a grant; the install that depends on it is suspended immediately",
  configures: false,
});
