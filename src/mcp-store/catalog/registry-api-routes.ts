/** Serves the catalog in the format of the public MCP registry, with this gateway as the address of each server. */
import { AppError } from "../../contract/errors.ts";
import type { CatalogEntry } from "../../contract/store/catalog.ts";
import {
  getServerVersion,
  listServers,
  listServerVersions,
  type ServerListing,
} from "../../contract/store/registry.ts";
import { OFFICIAL_META } from "../../contract/store/server-json.ts";
import { catalogEntries } from "../../db/tables/catalog-entries.ts";
import { gatewayTable } from "../../db/tables/gateways.ts";
import type { Deps } from "../../deps.ts";
import { paginate } from "../../paginate.ts";
import { type Call, type Route, route } from "../../route.ts";
import { readPrincipalAccess } from "../access/principal-access.ts";
import { identifyPrincipal } from "../principals/identify-principal.ts";
import { matchesText } from "./list-catalog-entries.ts";

export const registryApiRoutes: Route[] = [
  route(listServers, async (deps, call) => {
    const { search = "" } = call.query;
    const visible = (await listVisibleEntries(deps, call)).filter((entry) =>
      matchesText(entry, search),
    );
    const { items, next_cursor } = paginate(visible, call.query, ({ code }) => code);
    const metadata = { count: items.length, ...(next_cursor ? { nextCursor: next_cursor } : {}) };
    return { servers: items.map((entry) => toServerListing(entry, call)), metadata };
  }),
  route(listServerVersions, async (deps, call) => ({
    servers: [toServerListing(await findEntryByName(deps, call), call)],
    metadata: { count: 1 },
  })),
  route(getServerVersion, async (deps, call) => {
    const entry = await findEntryByName(deps, call);
    const { version } = call.params;
    if (version === "latest" || version === entry.server_version)
      return toServerListing(entry, call);
    throw new AppError(
      "not_found",
      "Unknown version. Only the current one is available: request latest.",
    );
  }),
];

type RegistryCall = Pick<Call, "bearer" | "origin">;

/** Returns the entries of the caller's gateway; without a token, those of all gateways with a public catalog. */
async function listVisibleEntries(deps: Deps, { bearer }: RegistryCall): Promise<CatalogEntry[]> {
  if (bearer !== undefined) {
    const principal = await identifyPrincipal(deps, bearer);
    return await listEntriesForPrincipal(deps, principal.gateway_id, principal);
  }
  const publicGateways = (await gatewayTable.all(deps.db)).filter(
    ({ store }) => store.public_catalog,
  );
  if (publicGateways.length === 0) throw new AppError("unauthorized", "Send a personal token.");
  const byCode = new Map<string, CatalogEntry>();
  for (const { id } of publicGateways) {
    for (const entry of await listEntriesForPrincipal(deps, id, {
      principal_sub: "",
      groups: [],
    })) {
      byCode.set(entry.code, entry);
    }
  }
  return [...byCode.values()];
}

async function listEntriesForPrincipal(
  deps: Deps,
  gateway_id: string,
  principal: { principal_sub: string; groups: readonly string[] },
): Promise<CatalogEntry[]> {
  const { levelFor } = await readPrincipalAccess(deps, gateway_id, principal);
  const entries = await catalogEntries(deps.db, gateway_id);
  return entries.filter((entry) => entry.status === "shown" && levelFor(entry).level !== "none");
}

async function findEntryByName(
  deps: Deps,
  call: RegistryCall & { params: { server_name: string } },
): Promise<CatalogEntry> {
  const { server_name } = call.params;
  const entry = (await listVisibleEntries(deps, call)).find(
    ({ code }) => toRegistryName(code) === server_name,
  );
  if (!entry) throw new AppError("not_found", "The Store has no server of this name.");
  return entry;
}

/** Adds a namespace: the format requires a slash in a name, and our codes may have none. */
const toRegistryName = (code: string): string => (code.includes("/") ? code : `portcullis/${code}`);

/** Limits of the format. Clients may reject a whole list for one text that is too long or empty. */
const MAX_TEXT_LENGTH = 100;
const MAX_ICON_URL_LENGTH = 255;
const truncateText = (text: string): string => [...text].slice(0, MAX_TEXT_LENGTH).join("");

function toServerListing(entry: CatalogEntry, { origin }: RegistryCall): ServerListing {
  const { code, name, description, server_version, website_url, icon_url, updated_at } = entry;
  return {
    server: {
      name: toRegistryName(code),
      title: truncateText(name),
      description: truncateText(description.trim() || name),
      version: server_version,
      ...(website_url ? { websiteUrl: website_url } : {}),
      ...(icon_url && icon_url.length <= MAX_ICON_URL_LENGTH ? { icons: [{ src: icon_url }] } : {}),
      // The gateway's address, so that calls cannot bypass it.
      remotes: [{ type: "streamable-http", url: `${origin}/me/mcp` }],
    },
    _meta: {
      [OFFICIAL_META]: {
        status: "active",
        isLatest: true,
        ...(updated_at ? { updatedAt: updated_at } : {}),
      },
    },
  };
}
