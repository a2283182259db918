/** Issuers whose tokens name the principals of a gateway. */
import { type Issuer, type IssuerInput, issuers } from "../contract/store-principals.ts";
import { issuerTable } from "../db/issuers.ts";
import { checkUrl } from "../net/check-url.ts";
import type { Route } from "../route.ts";
import { gatewayExists, resourceRoutes, type Stores } from "./resource-routes.ts";

const stores: Stores<Issuer, IssuerInput, Issuer> = {
  table: issuerTable,
  id: "issuer_id",
  scope: (params) => ({ gateway_id: params.gateway_id ?? "" }),
  parent: gatewayExists,
  read: (_, row) => row,
  async save(deps, input, row, before) {
    checkUrl(input.jwks_url, "jwks_url", input.allow_private);
    // The path gives the gateway; Issuer cannot know that from the scope alone.
    const next = { ...row, ...input } as Issuer;
    if (before) await issuerTable.update(deps.db, row.id, next);
    else await issuerTable.insert(deps.db, next);
  },
};

export const issuerRoutes: Route[] = resourceRoutes(issuers, stores);
