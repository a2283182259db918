/** Reads the groups of a principal and the access rules of a gateway, as they are now. */
import { AppError } from "../../contract/errors.ts";
import type { AccessLevel } from "../../contract/store/access.ts";
import { accessRuleTable } from "../../db/tables/access-rules.ts";
import { type GatewayRow, gatewayTable } from "../../db/tables/gateways.ts";
import { principalTable } from "../../db/tables/principals.ts";
import type { Deps } from "../../deps.ts";
import { type AccessDecision, decideAccess } from "./decide-access.ts";

export interface PrincipalAccess {
  principal_sub: string;
  groups: readonly string[];
  default_level: AccessLevel;
  levelFor: (server: { code: string; category: string }) => AccessDecision;
}

type PrincipalQuery = { principal_sub: string; groups?: readonly string[] | undefined };

/** Without `groups`, the groups of the principal's last sign-in count. */
export async function readPrincipalAccess(
  deps: Deps,
  gateway_id: string,
  query: PrincipalQuery,
): Promise<PrincipalAccess> {
  return await (await createAccessReader(deps, gateway_id))(query);
}

/** Returns a reader for many principals of one gateway, which reads the rules once. */
export async function createAccessReader(
  deps: Deps,
  gateway_id: string,
): Promise<(query: PrincipalQuery) => Promise<PrincipalAccess>> {
  const { default_level } = (await findGateway(deps, gateway_id)).store;
  const rules = await accessRuleTable.all(deps.db, { gateway_id });
  return async ({ principal_sub, groups }) => {
    const subject = {
      principal_sub,
      groups: groups ?? (await findKnownGroups(deps, gateway_id, principal_sub)),
    };
    return {
      ...subject,
      default_level,
      levelFor: (server) => decideAccess(rules, subject, server, default_level),
    };
  };
}

export async function findGateway(deps: Deps, gateway_id: string): Promise<GatewayRow> {
  const gateway = await gatewayTable.find(deps.db, { id: gateway_id });
  if (gateway) return gateway;
  throw new AppError("not_found", `No gateway has the id ${gateway_id}.`);
}

async function findKnownGroups(
  deps: Deps,
  gateway_id: string,
  principal_sub: string,
): Promise<readonly string[]> {
  return (await principalTable.find(deps.db, { gateway_id, principal_sub }))?.groups ?? [];
}
