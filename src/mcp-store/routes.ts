/** Binds the administrative endpoints of the Store (spec 4.1) to their operations. */
import { AppError } from "../contract/errors.ts";
import { explainAccess } from "../contract/store/access.ts";
import { listCatalog } from "../contract/store/catalog.ts";
import { listStoreGrants, revokeStoreGrant } from "../contract/store/grants.ts";
import {
  bulkInstall,
  configureInstall as configureInstallOf,
  connectInstall,
  installForPrincipal,
  listInstalls,
  removeInstall,
} from "../contract/store/installs.ts";
import { testInstance } from "../contract/store/instances.ts";
import {
  approveStoreRequest,
  cancelStoreRequest,
  getStoreRequest,
  listStoreRequests,
  rejectStoreRequest,
} from "../contract/store/requests.ts";
import { findCatalogEntry } from "../db/tables/catalog-entries.ts";
import { isMcp, registryTable } from "../db/tables/registries.ts";
import { storeGrantTable } from "../db/tables/store-grants.ts";
import { type StoreInstallRow, storeInstallTable } from "../db/tables/store-installs.ts";
import { storeRequestTable } from "../db/tables/store-requests.ts";
import type { Deps } from "../deps.ts";
import { type Route, route } from "../route.ts";
import { findGateway, readPrincipalAccess } from "./access/principal-access.ts";
import { listCatalogEntries } from "./catalog/list-catalog-entries.ts";
import { registryApiRoutes } from "./catalog/registry-api-routes.ts";
import { configureInstall } from "./installs/configure-install.ts";
import { describeInstalls } from "./installs/describe-installs.ts";
import { findUsableInstall } from "./installs/find-usable-install.ts";
import { installForGroup } from "./installs/install-for-group.ts";
import { installServer } from "./installs/install-server.ts";
import { deleteInstall } from "./installs/save-install.ts";
import { principalRoutes } from "./principals/principal-routes.ts";
import {
  approveRequest,
  cancelRequest,
  lockRequest,
  rejectRequest,
} from "./requests/decide-request.ts";
import { revokeGrant } from "./requests/revoke-grant.ts";
import { expireRequests } from "./requests/save-request.ts";
import { buildConnectUrl } from "./serve/connect-link.ts";
import { toolChangeRoutes } from "./upstream/tool-change-routes.ts";
import { authorizationServerRoutes } from "./vault/authorization-server-routes.ts";

const installRoutes: Route[] = [
  route(installForPrincipal, (deps, call) =>
    installServer(deps, call, call.params.gateway_id, call.body),
  ),
  route(listInstalls, async (deps, { params, query }) => {
    const { limit, cursor, q, sort, ...filters } = query;
    const where = { gateway_id: params.gateway_id, ...omitUndefined(filters) };
    const page = await storeInstallTable.page(deps.db, where, { limit, cursor, q, sort });
    const items = await describeInstalls(deps, params.gateway_id, page.items);
    return { items, next_cursor: page.next_cursor };
  }),
  route(removeInstall, async (deps, call) => {
    await deleteInstall(deps, call, await findInstall(deps, call.params));
    return undefined;
  }),
  route(configureInstallOf, async (deps, call) => {
    const install = await findInstall(deps, call.params);
    const next = await configureInstall(deps, call, install, call.body.values);
    const [shown] = await describeInstalls(deps, call.params.gateway_id, [next]);
    return shown ?? new AppError("conflict", "The instance of this install was deleted.");
  }),
  route(connectInstall, async (deps, { params, origin }) => {
    const install = await findInstall(deps, params);
    const { shown } = await findUsableInstall(deps, install, install.id);
    const { requires_auth, requires_config } = shown;
    return { url: buildConnectUrl(origin, install), requires_auth, requires_config };
  }),
  route(bulkInstall, (deps, call) =>
    installForGroup(deps, call, call.params.gateway_id, call.body),
  ),
];

const requestRoutes: Route[] = [
  route(listStoreRequests, async (deps, { params, query }) => {
    await findGateway(deps, params.gateway_id);
    await expireRequests(deps);
    const { limit, cursor, q, sort, ...filters } = query;
    const where = { gateway_id: params.gateway_id, ...omitUndefined(filters) };
    return await storeRequestTable.page(deps.db, where, { limit, cursor, q, sort });
  }),
  route(getStoreRequest, async (deps, { params }) => {
    await expireRequests(deps);
    return await lockRequest(deps, params);
  }),
  route(approveStoreRequest, (deps, call) => approveRequest(deps, call, call.params, call.body)),
  route(rejectStoreRequest, (deps, call) => rejectRequest(deps, call, call.params, call.body.note)),
  route(cancelStoreRequest, (deps, call) => cancelRequest(deps, call, call.params)),
];

const grantRoutes: Route[] = [
  route(listStoreGrants, async (deps, { params, query }) => {
    await findGateway(deps, params.gateway_id);
    const { limit, cursor, q, sort, ...filters } = query;
    const where = { gateway_id: params.gateway_id, ...omitUndefined(filters) };
    return await storeGrantTable.page(deps.db, where, { limit, cursor, q, sort });
  }),
  route(revokeStoreGrant, async (deps, call) => {
    await revokeGrant(deps, call, call.params);
    return undefined;
  }),
];

export const storeRoutes: readonly Route[] = [
  ...installRoutes,
  ...grantRoutes,
  ...toolChangeRoutes,
  route(testInstance, async (deps, { params: { gateway_id, instance_id } }) => {
    const row = await registryTable.find(deps.db, { id: instance_id, gateway_id });
    if (!row || !isMcp(row)) {
      throw new AppError("not_found", `No instance has the id ${instance_id}.`);
    }
    // Loaded on demand, because it loads the MCP SDK.
    const { testInstanceServer } = await import("./upstream/test-instance.ts");
    return await testInstanceServer(deps, row);
  }),
  ...authorizationServerRoutes,
  ...requestRoutes,
  route(listCatalog, (deps, { params, query }) =>
    listCatalogEntries(deps, params.gateway_id, query),
  ),
  ...registryApiRoutes,
  ...principalRoutes,
  route(explainAccess, async (deps, { params, body }) => {
    const { groups, default_level, levelFor } = await readPrincipalAccess(
      deps,
      params.gateway_id,
      body,
    );
    const entry = await findCatalogEntry(deps.db, params.gateway_id, body.code);
    if (!entry)
      throw new AppError("not_found", `The catalog has no server with the code "${body.code}".`);
    return { ...levelFor(entry), default_level, groups: [...groups] };
  }),
];

async function findInstall(
  deps: Deps,
  { gateway_id, install_id }: { gateway_id: string; install_id: string },
): Promise<StoreInstallRow> {
  const row = await storeInstallTable.lock(deps.db, { id: install_id, gateway_id });
  if (!row) throw new AppError("not_found", `No install has the id ${install_id}.`);
  return row;
}

/** Removes filters that the caller did not set. */
const omitUndefined = <Filters extends object>(filters: Filters) =>
  // The type of Object.fromEntries does not say that undefined values are gone.
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Filters]?: Exclude<Filters[Name], undefined>;
  };
