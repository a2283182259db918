/** Where a principal stands at a gateway: groups and access rules as they are at this moment. */
import { AppError } from "../contract/errors.ts";
import type { AccessLevel } from "../contract/store-access.ts";
import { accessRuleTable } from "../db/access-rules.ts";
import { type GatewayRow, gatewayTable } from "../db/gateways.ts";
import { principalTable } from "../db/principals.ts";
import type { Deps } from "../deps.ts";
import { type AccessAnswer, accessLevel } from "./access-level.ts";

export interface Standing {
  principal_sub: string;
  groups: readonly string[];
  default_level: AccessLevel;
  levelFor: (server: { code: string; category: string }) => AccessAnswer;
}

type Asked = { principal_sub: string; groups?: readonly string[] | undefined };

/** Groups that are not given are those last seen. */
export async function standingOf(deps: Deps, gateway_id: string, asked: Asked): Promise<Standing> {
  return await (await readStandings(deps, gateway_id))(asked);
}

/** For many principals of one gateway: its rules are read once. */
export async function readStandings(
  deps: Deps,
  gateway_id: string,
): Promise<(asked: Asked) => Promise<Standing>> {
  const { default_level } = (await findGateway(deps, gateway_id)).store;
  const rules = await accessRuleTable.all(deps.db, { gateway_id });
  return async ({ principal_sub, groups }) => {
    const asking = {
      principal_sub,
      groups: groups ?? (await groupsLastSeen(deps, gateway_id, principal_sub)),
    };
    return {
      ...asking,
      default_level,
      levelFor: (server) => accessLevel(rules, asking, server, default_level),
    };
  };
}

export async function findGateway(deps: Deps, gateway_id: string): Promise<GatewayRow> {
  const gateway = await gatewayTable.find(deps.db, { id: gateway_id });
  if (gateway) return gateway;
  throw new AppError("not_found", `There is no gateway with the id ${gateway_id}.`);
}

async function groupsLastSeen(
  deps: Deps,
  gateway_id: string,
  principal_sub: string,
): Promise<readonly string[]> {
  return (await principalTable.find(deps.db, { gateway_id, principal_sub }))?.groups ?? [];
}
