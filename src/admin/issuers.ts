/** Operations on issuers, whose tokens identify the principals of a gateway. */
import { type Issuer, type IssuerInput, issuers } from "../contract/store/principals.ts";
import { type IssuerRow, issuerTable } from "../db/tables/issuers.ts";
import { checkUrl } from "../net/check-url.ts";
import type { Route } from "../route.ts";
import { type ResourceDefinition, requireGateway, resourceRoutes } from "./resource-routes.ts";

const definition: ResourceDefinition<IssuerRow, IssuerInput, Issuer> = {
  table: issuerTable,
  id: "issuer_id",
  scopeOf: (params) => ({ gateway_id: params.gateway_id ?? "" }),
  requireParent: requireGateway,
  toReply: (_, row) => row,
  reach: ({ allow_private, jwks_url }) => ({ allow_private, target: jwks_url }),
  toColumns(_, input, { updated_at }, before) {
    checkUrl(input.jwks_url, "jwks_url", input.allow_private);
    const kept = before?.issuer === input.issuer && before.audience === input.audience;
    return { ...input, claimed_at: kept ? before.claimed_at : updated_at };
  },
};

export const issuerRoutes: Route[] = resourceRoutes(issuers, definition);
