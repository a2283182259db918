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
  reach: ({ allow_private, jwks_url }) => ({ allow_private, target: jwks_url }),
  columns(_, input) {
    checkUrl(input.jwks_url, "jwks_url", input.allow_private);
    return input;
  },
};

export const issuerRoutes: Route[] = resourceRoutes(issuers, stores);
