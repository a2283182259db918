/** Lists, confirms and dismisses changes of the authorization servers of instances. */

import { AppError } from "../../contract/errors.ts";
import {
  type AuthorizationServer,
  confirmAuthorizationServer,
  dismissAuthorizationServer,
  listAuthorizationServers,
} from "../../contract/store/authorization-servers.ts";
import { recordChange } from "../../db/record-change.ts";
import { oauthFlowTable } from "../../db/tables/oauth-flows.ts";
import { insertOwnClient, oauthRegistrationTable } from "../../db/tables/oauth-registrations.ts";
import { type OauthServerRow, oauthServerTable } from "../../db/tables/oauth-servers.ts";
import {
  isMcp,
  type McpRegistryRow,
  mcpRegistries,
  registryTable,
} from "../../db/tables/registries.ts";
import { countCredentials, storeCredentialTable } from "../../db/tables/store-credentials.ts";
import type { Deps } from "../../deps.ts";
import { paginate } from "../../paginate.ts";
import { type Route, route } from "../../route.ts";
import { findGateway } from "../access/principal-access.ts";
import { findCurrentServer, principalsChooseUrl } from "./bind-server.ts";
import { describeAuthorizationServer } from "./describe-authorization-server.ts";
import { isForwarded } from "./forwarded-instance.ts";

export const authorizationServerRoutes: Route[] = [
  route(listAuthorizationServers, async (deps, { params, query }) => {
    await findGateway(deps, params.gateway_id);
    const instances = (await mcpRegistries(deps.db, params.gateway_id))
      .filter(isForwarded)
      .filter(({ id }) => query.instance_id === undefined || id === query.instance_id);
    const found: { code: string; instance: McpRegistryRow; current: OauthServerRow }[] = [];
    for (const instance of instances) {
      const current = await findCurrentServer(deps, instance.id);
      if (current) found.push({ code: instance.id, instance, current });
    }
    const { items, next_cursor } = paginate(found, query, ({ code }) => code);
    const rows = items.map(({ instance, current }) =>
      toAuthorizationServer(deps, instance, current),
    );
    return { items: await Promise.all(rows), next_cursor };
  }),
  route(confirmAuthorizationServer, async (deps, call) => {
    const { keep_client } = call.query;
    // Otherwise an administrator could send the stored secret to a server of their own.
    if (keep_client && call.actor.role !== "owner") {
      throw new AppError("forbidden", "keep_client: requires the owner role.");
    }
    const { instance, advertised, current } = await findChange(deps, call.params);
    const { id: instance_id, gateway_id } = instance;
    await oauthServerTable.update(deps.db, current.id, { state: "retired" });
    await oauthServerTable.update(deps.db, advertised.id, {
      state: "current",
      confirmed_by: call.actor.name,
      confirmed_at: deps.now().toISOString(),
    });
    const accounts_removed = await storeCredentialTable.remove(deps.db, { instance_id });
    await oauthFlowTable.remove(deps.db, { instance_id });
    const oldRegistrations = { server_id: current.id, ...(keep_client ? {} : { own: false }) };
    await oauthRegistrationTable.remove(deps.db, oldRegistrations);
    if (!keep_client) await bindReplacedClient(deps, { instance, advertised, current });
    await recordChange(deps, call, {
      resource: "authorization_server",
      verb: "approve",
      id: advertised.id,
      gateway_id,
      before: describeAuthorizationServer(current),
      after: { ...describeAuthorizationServer(advertised), keep_client, accounts_removed },
    });
    return undefined;
  }),
  route(dismissAuthorizationServer, async (deps, call) => {
    const { instance, advertised, current } = await findChange(deps, call.params);
    await oauthServerTable.remove(deps.db, { id: advertised.id });
    await recordChange(deps, call, {
      resource: "authorization_server",
      verb: "reject",
      id: advertised.id,
      gateway_id: instance.gateway_id,
      before: describeAuthorizationServer(advertised),
      after: describeAuthorizationServer(current),
    });
    return undefined;
  }),
];

async function toAuthorizationServer(
  deps: Deps,
  instance: McpRegistryRow,
  current: OauthServerRow,
): Promise<AuthorizationServer> {
  const { id: instance_id, name, auth } = instance;
  const advertised = await oauthServerTable.find(deps.db, { instance_id, state: "advertised" });
  const { confirmed_by, confirmed_at } = current;
  return {
    instance_id,
    instance_name: name,
    current: { ...describeAuthorizationServer(current), confirmed_by, confirmed_at },
    advertised: advertised
      ? { ...describeAuthorizationServer(advertised), id: advertised.id }
      : null,
    suspended: advertised !== undefined && !principalsChooseUrl(instance),
    accounts: await countCredentials(deps.db, instance_id),
    own_client: auth?.type === "forwarded" && auth.client_id !== null,
  };
}

/** Binds the client to the server that it was set for, so that its secret is not sent to the new one. */
async function bindReplacedClient(
  deps: Deps,
  { instance, advertised, current }: ServerChange,
): Promise<void> {
  if (!isForwarded(instance) || instance.auth.client_id === null) return;
  const { client_id } = instance.auth;
  const where = { server_id: advertised.id, own: true, client_id };
  // Where an instance is not suspended, the client may have been set for the server in use.
  const isOfNew =
    !principalsChooseUrl(instance) && (await oauthRegistrationTable.find(deps.db, where));
  if (!isOfNew) await insertOwnClient(deps, current.id, client_id);
}

interface ServerChange {
  instance: McpRegistryRow;
  advertised: OauthServerRow;
  current: OauthServerRow;
}

/** Finds a change by id. A server that has advertised another change since then has another id. */
async function findChange(
  deps: Deps,
  { gateway_id, server_id }: { gateway_id: string; server_id: string },
): Promise<ServerChange> {
  const where = { id: server_id, state: "advertised" } as const;
  const advertised = await oauthServerTable.lock(deps.db, where);
  const id = advertised?.instance_id ?? "";
  const instance = await registryTable.find(deps.db, { id, gateway_id });
  const current = await findCurrentServer(deps, id);
  if (!advertised || !current || !instance || !isMcp(instance)) {
    throw new AppError(
      "not_found",
      `No authorization server change has the id ${server_id}. List the changes again.`,
    );
  }
  return { instance, advertised, current };
}
