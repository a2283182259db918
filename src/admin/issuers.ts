/** Operations on issuers, whose tokens identify the principals of a gateway. */
import { AppError } from "../contract/errors.ts";
import { type Issuer, type IssuerInput, issuers } from "../contract/store/principals.ts";
import type { Db } from "../db/db.ts";
import { gatewayTable } from "../db/tables/gateways.ts";
import { type IssuerRow, issuerTable } from "../db/tables/issuers.ts";
import { checkUrl } from "../net/check-url.ts";
import { type Actor, isOwner, type Route } from "../route.ts";
import { type ResourceDefinition, requireGateway, resourceRoutes } from "./resource-routes.ts";

const definition: ResourceDefinition<IssuerRow, IssuerInput, Issuer> = {
  table: issuerTable,
  id: "issuer_id",
  scopeOf: (params) => ({ gateway_id: params.gateway_id ?? "" }),
  requireParent: requireGateway,
  toReply: (_, row) => row,
  reach: ({ allow_private, jwks_url }) => ({ allow_private, target: jwks_url }),
  async toColumns({ db }, input, { updated_at }, before, actor) {
    checkUrl(input.jwks_url, "jwks_url", input.allow_private);
    // One that begins to accept tokens must not take over users of the others.
    const isHeld =
      before?.enabled && isSameClaim(before, input) && before.jwks_url === input.jwks_url;
    const claimed_at = isHeld ? before.claimed_at : updated_at;
    const isListed = before?.listed && before.issuer === input.issuer;
    return { ...input, claimed_at, listed: isListed || (await administersAll(db, actor)) };
  },
  /** A token may have the audiences of two gateways, so that one could take the users of the other. */
  async checkActor({ db }, actor, next, before) {
    if (before && isSameClaim(before, next)) return;
    const rows = await issuerTable.all(db, { issuer: next.issuer });
    const others = rows.filter(({ gateway_id }) => gateway_id !== next.gateway_id);
    if (others.every(({ gateway_id }) => isOwner(actor, gateway_id))) return;
    throw new AppError(
      "forbidden",
      "issuer: Another gateway trusts this issuer. Ask an owner of both gateways to save this audience of it.",
    );
  },
};

/** Returns whether the actor administers all gateways, which share one list of logins. */
async function administersAll(db: Db, { gateway_ids }: Actor): Promise<boolean> {
  if (gateway_ids === null) return true;
  return (await gatewayTable.all(db)).every(({ id }) => gateway_ids.includes(id));
}

const isSameClaim = (one: IssuerInput, other: IssuerInput): boolean =>
  one.issuer === other.issuer && one.audience === other.audience;

export const issuerRoutes: Route[] = resourceRoutes(issuers, definition);
