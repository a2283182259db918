/** Binds an instance to the first authorization server it advertises; only an administrator can replace it (decision 0006). */
import { AppError } from "../../contract/errors.ts";
import { changeStore } from "../../db/config-revision.ts";
import { type AuditAuthor, recordChange } from "../../db/record-change.ts";
import {
  instancesWithChangedServer,
  type OauthServerRow,
  oauthServerTable,
} from "../../db/tables/oauth-servers.ts";
import { isNewestVersion, type McpRegistryRow } from "../../db/tables/registries.ts";
import type { Deps } from "../../deps.ts";
import { describeAuthorizationServer } from "./describe-authorization-server.ts";
import type { DiscoveredServer } from "./discover-server.ts";
import { type ForwardedInstance, isForwarded } from "./forwarded-instance.ts";
import { isSameServer } from "./is-same-server.ts";

export const findCurrentServer = (deps: Deps, instance_id: string) =>
  oauthServerTable.find(deps.db, { instance_id, state: "current" });

/** Returns the server that the instance uses. Rejects a different one and saves it for an administrator to confirm. */
export async function bindServer(
  deps: Deps,
  author: AuditAuthor,
  instance: ForwardedInstance,
  found: DiscoveredServer,
): Promise<OauthServerRow> {
  const server =
    (await refreshCurrentServer(deps, instance, found)) ??
    (await changeStore(deps.db, (db) => bindOrHold({ ...deps, db }, author, instance, found)));
  if (server.state === "current") return server;
  throw new AppError("conflict", serverChangedMessage(instance.name));
}

export const serverChangedMessage = (name: string): string =>
  `${name} advertises a different authorization server. An administrator must confirm it first.`;

export const serverReplacedError = (): AppError =>
  new AppError("conflict", "The server's configuration changed during the sign-in. Start again.");

/** Returns undefined when it is not the server in use. Updates members that are not endpoints. */
async function refreshCurrentServer(
  deps: Deps,
  { id }: ForwardedInstance,
  { metadata, resource }: DiscoveredServer,
): Promise<OauthServerRow | undefined> {
  const row = await findCurrentServer(deps, id);
  if (!row || !isSameServer(row.metadata, metadata)) return undefined;
  const next = { metadata: { ...metadata }, resource };
  const { metadata: known, resource: knownResource } = row;
  if (!Bun.deepEquals({ metadata: known, resource: knownResource }, next)) {
    await oauthServerTable.update(deps.db, row.id, next);
  }
  return { ...row, ...next };
}

async function bindOrHold(
  deps: Deps,
  author: AuditAuthor,
  instance: ForwardedInstance,
  found: DiscoveredServer,
): Promise<OauthServerRow> {
  const { id: instance_id, gateway_id } = instance;
  // The server may be that of an address that the instance had when the sign-in started.
  if (!(await isNewestVersion(deps.db, instance))) throw serverReplacedError();
  // Another node may have bound or confirmed one since.
  const now = await refreshCurrentServer(deps, instance, found);
  if (now) return now;
  const held = await oauthServerTable.find(deps.db, { instance_id, state: "advertised" });
  if (held && isSameServer(held.metadata, found.metadata)) return held;
  const current = await findCurrentServer(deps, instance_id);
  if (held) await oauthServerTable.remove(deps.db, { id: held.id });
  if (!current) checkFirstServer(instance, found);
  const row: OauthServerRow = {
    id: deps.newId(),
    instance_id,
    state: current ? "advertised" : "current",
    issuer: found.metadata.issuer,
    metadata: { ...found.metadata },
    resource: found.resource,
    seen_at: deps.now().toISOString(),
    confirmed_by: null,
    confirmed_at: null,
  };
  await oauthServerTable.insert(deps.db, row);
  await recordChange(deps, author, {
    resource: "authorization_server",
    verb: current ? "hold" : "create",
    id: row.id,
    gateway_id,
    before: current ? describeAuthorizationServer(current) : null,
    after: describeAuthorizationServer(row),
  });
  return row;
}

/** The first server receives the administrator's secret, so no value of a principal may determine it. */
function checkFirstServer(instance: ForwardedInstance, { in_catalog }: DiscoveredServer): void {
  const { client_secret } = instance.auth;
  if (in_catalog || client_secret === null || !principalsChooseUrl(instance)) return;
  throw new AppError(
    "conflict",
    `${instance.name} has a client secret and a URL with values of principals. An administrator must set auth.authorize_url and auth.token_url in its catalog entry, then set the secret again.`,
  );
}

/** Returns the ids of the instances that are suspended until an administrator confirms their authorization server. */
export async function findSuspendedInstances(
  deps: Deps,
  gateway_id: string,
  instances: readonly McpRegistryRow[],
): Promise<ReadonlySet<string>> {
  const suspendable = instances.filter((one) => isForwarded(one) && !principalsChooseUrl(one));
  if (suspendable.length === 0) return new Set();
  const changed = await instancesWithChangedServer(deps.db, gateway_id);
  return new Set(suspendable.flatMap(({ id }) => (changed.has(id) ? [id] : [])));
}

/** Such an instance is never suspended: one principal could make a server advertise a change, and suspend it for all. */
export const principalsChooseUrl = ({ provider_options }: McpRegistryRow): boolean =>
  provider_options.fields.some((field) => field.in !== "header");
