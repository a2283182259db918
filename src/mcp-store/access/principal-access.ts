/** Where a principal stands at a gateway: groups and access rules as they are at this moment. */
import { AppError } from "../../contract/errors.ts";
import type { AccessLevel } from "../../contract/store-access.ts";
import { accessRuleTable } from "../../db/access-rules.ts";
import { type GatewayRow, gatewayTable } from "../../db/gateways.ts";
import { principalTable } from "../../db/principals.ts";
import type { Deps } from "../../deps.ts";
import { type AccessDecision, decideAccess } from "./decide-access.ts";

export interface PrincipalAccess {
  principal_sub: string;
  groups: readonly string[];
  default_level: AccessLevel;
  levelFor: (server: { code: string; category: string }) => AccessDecision;
}

type PrincipalQuery = { principal_sub: string; groups?: readonly string[] | undefined };

/** Groups that are not given are those last seen. */
export async function readPrincipalAccess(
  deps: Deps,
  gateway_id: string,
  asked: PrincipalQuery,
): Promise<PrincipalAccess> {
  return await (await createAccessReader(deps, gateway_id))(asked);
}

/** For many principals of one gateway: its rules are read once. */
export async function createAccessReader(
  deps: Deps,
  gateway_id: string,
): Promise<(asked: PrincipalQuery) => Promise<PrincipalAccess>> {
  const { default_level } = (await findGateway(deps, gateway_id)).store;
  const rules = await accessRuleTable.all(deps.db, { gateway_id });
  return async ({ principal_sub, groups }) => {
    const asking = {
      principal_sub,
      groups: groups ?? (await findKnownGroups(deps, gateway_id, principal_sub)),
    };
    return {
      ...asking,
      default_level,
      levelFor: (server) => decideAccess(rules, asking, server, default_level),
    };
  };
}

export async function findGateway(deps: Deps, gateway_id: string): Promise<GatewayRow> {
  const gateway = await gatewayTable.find(deps.db, { id: gateway_id });
  if (gateway) return gateway;
  throw new AppError("not_found", `There is no gateway with the id ${gateway_id}.`);
}

async function findKnownGroups(
  deps: Deps,
  gateway_id: string,
  principal_sub: string,
): Promise<readonly string[]> {
  return (await principalTable.find(deps.db, { gateway_id, principal_sub }))?.groups ?? [];
}
