/** Operations on catalog entries of a gateway. */
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import {
  type CatalogAuth,
  type CatalogEntry,
  CatalogEntryInput,
  createCatalogEntry,
  deleteCatalogEntry,
  getCatalogEntry,
  importCatalog,
  updateCatalogEntry,
} from "../contract/store/catalog.ts";
import { StoreCode } from "../contract/store/mcp-registries.ts";
import { catalogEntryTable, findCatalogEntry } from "../db/tables/catalog-entries.ts";
import { mcpRegistries } from "../db/tables/registries.ts";
import { storeCredentialTable } from "../db/tables/store-credentials.ts";
import type { Deps } from "../deps.ts";
import { type Call, type Route, route } from "../route.ts";
import { checkAllowPrivate, type Reach } from "./check-allow-private.ts";
import { checkCatalogEntry } from "./check-catalog-entry.ts";
import { runImport } from "./import-catalog.ts";
import { requireGateway } from "./resource-routes.ts";
import { recordCatalogEntry, saveCatalogEntry } from "./save-catalog-entry.ts";

export const catalogEntryRoutes: Route[] = [
  route(getCatalogEntry, (deps, { params }) => findEntry(deps, params)),
  route(createCatalogEntry, async (deps, call) => {
    const { gateway_id } = call.params;
    await requireGateway(deps, call.params);
    checkCatalogEntry(call.body);
    await checkReach(deps, call, call.body);
    if (await findCatalogEntry(deps.db, gateway_id, call.body.code)) {
      throw new AppError("already_exists", "code: is already in the catalog.");
    }
    await refuseClientTheft(deps, gateway_id, call.body, undefined);
    return await saveCatalogEntry(deps, call, gateway_id, { input: call.body, source: "custom" });
  }),
  route(updateCatalogEntry, async (deps, call) => {
    const { gateway_id } = call.params;
    const before = await findEntry(deps, call.params);
    const { source, needs_admin_setup: _, updated_at: __, ...current } = before;
    const input = decode(CatalogEntryInput, { ...current, ...call.body });
    checkCatalogEntry(input);
    await checkReach(deps, call, input, before);
    await refuseClientTheft(deps, gateway_id, input, before);
    return await saveCatalogEntry(deps, call, gateway_id, { input, source, before });
  }),
  route(deleteCatalogEntry, async (deps, call) => {
    const { gateway_id } = call.params;
    const before = await findEntry(deps, call.params);
    if (before.updated_at === null) {
      throw new AppError(
        "conflict",
        "A shipped server cannot be deleted. Set its status to hidden instead.",
      );
    }
    const { code } = before;
    await catalogEntryTable.remove(deps.db, { gateway_id, code });
    // A shipped entry of the same code applies again.
    const next = await findCatalogEntry(deps.db, gateway_id, code);
    await refuseClientTheft(deps, gateway_id, next ?? { code, auth: { type: "none" } }, before);
    await recordCatalogEntry(deps, call, { gateway_id, verb: "delete", before, after: null });
    return undefined;
  }),
  route(importCatalog, async (deps, call) => {
    await requireGateway(deps, call.params);
    if ("registry_url" in call.body) {
      const { allow_private, registry_url } = call.body;
      checkAllowPrivate(deps, call.actor, { allow_private, target: registry_url });
    }
    return await runImport(deps, call, call.params.gateway_id, call.body);
  }),
];

/** An instance reads the OAuth endpoints of its entry, and calls them with its own permission for private addresses. */
async function checkReach(
  deps: Deps,
  { actor, params }: Call<{ gateway_id: string }>,
  input: CatalogEntryInput,
  before?: CatalogEntry,
): Promise<void> {
  checkAllowPrivate(deps, actor, toReach(input), before && toReach(before));
  const target = listEndpoints(input.auth);
  if (target.length === 0 || !deps.settings.ALLOW_PRIVATE_UPSTREAMS) return;
  const instances = await mcpRegistries(deps.db, params.gateway_id);
  const allow_private = instances.some(
    (instance) => instance.allow_private && instance.provider_options.code === input.code,
  );
  const current = before ? listEndpoints(before.auth) : [];
  checkAllowPrivate(deps, actor, { allow_private, target }, { allow_private, target: current });
}

const listEndpoints = (auth: CatalogAuth): string[] =>
  auth.type === "oauth" ? [auth.authorize_url, auth.token_url].filter((url) => url !== null) : [];

const toReach = ({ allow_private, url, auth, fields }: CatalogEntryInput): Reach => ({
  allow_private,
  target: [url, auth, fields],
});

/**
 * Rejects a change of the token endpoint while instances have client secrets or accounts, which would be sent to
 * the new one; without an endpoint, to the one that the MCP server advertises.
 */
async function refuseClientTheft(
  deps: Deps,
  gateway_id: string,
  input: Pick<CatalogEntryInput, "code" | "auth">,
  before: CatalogEntry | undefined,
): Promise<void> {
  if (tokenUrlOf(input.auth) === (before ? tokenUrlOf(before.auth) : null)) return;
  for (const { id, name, auth, provider_options } of await mcpRegistries(deps.db, gateway_id)) {
    if (provider_options.code !== input.code || auth?.type !== "forwarded") continue;
    const held = auth.client_secret
      ? "has a client secret"
      : (await storeCredentialTable.find(deps.db, { instance_id: id })) && "has accounts";
    if (!held) continue;
    throw new AppError(
      "has_dependents",
      `auth.token_url: cannot be changed while the instance "${name}" ${held}. Remove them first.`,
    );
  }
}

const tokenUrlOf = (auth: CatalogAuth): string | null =>
  auth.type === "oauth" ? auth.token_url : null;

async function findEntry(
  deps: Deps,
  { gateway_id, code }: { gateway_id: string; code: string },
): Promise<CatalogEntry> {
  await requireGateway(deps, { gateway_id });
  const known = StoreCode.safeParse(code).success;
  const entry = known ? await findCatalogEntry(deps.db, gateway_id, code) : undefined;
  if (!entry) throw new AppError("not_found", `Unknown Store server "${code.slice(0, 200)}".`);
  return entry;
}
