/** Serves the catalog in the public registry format, each server behind this gateway's own address. */
import { AppError } from "../contract/errors.ts";
import { OFFICIAL_META } from "../contract/server-json.ts";
import type { CatalogEntry } from "../contract/store-catalog.ts";
import {
  getServerVersion,
  listServers,
  listServerVersions,
  type ServerListing,
} from "../contract/store-registry.ts";
import { catalogEntries } from "../db/catalog-entries.ts";
import { gatewayTable } from "../db/gateways.ts";
import type { Deps } from "../deps.ts";
import { type Call, type Route, route } from "../route.ts";
import { identifyPrincipal } from "./identify-principal.ts";
import { speaksOf } from "./list-entries.ts";
import { pageOf } from "./page-of.ts";
import { standingOf } from "./standing.ts";

export const registryApiRoutes: Route[] = [
  route(listServers, async (deps, call) => {
    const { search = "" } = call.query;
    const usable = (await usableEntries(deps, call)).filter((entry) => speaksOf(entry, search));
    const { items, next_cursor } = pageOf(usable, call.query);
    const metadata = { count: items.length, ...(next_cursor ? { nextCursor: next_cursor } : {}) };
    return { servers: items.map((entry) => listed(entry, call)), metadata };
  }),
  route(listServerVersions, async (deps, call) => ({
    servers: [listed(await entryNamed(deps, call), call)],
    metadata: { count: 1 },
  })),
  route(getServerVersion, async (deps, call) => {
    const entry = await entryNamed(deps, call);
    const { version } = call.params;
    if (version === "latest" || version === entry.server_version) return listed(entry, call);
    throw new AppError("not_found", "There is no such version; ask for latest.");
  }),
];

type Asking = Pick<Call, "bearer" | "origin">;

/** Of the caller's gateway; without a token, of all gateways that show theirs to everyone. */
async function usableEntries(deps: Deps, { bearer }: Asking): Promise<CatalogEntry[]> {
  if (bearer !== undefined) {
    const principal = await identifyPrincipal(deps, bearer);
    return await entriesFor(deps, principal.gateway_id, principal);
  }
  const open = (await gatewayTable.all(deps.db)).filter(({ store }) => store.public_catalog);
  if (open.length === 0) throw new AppError("unauthorized", "Send a personal token.");
  const byCode = new Map<string, CatalogEntry>();
  for (const { id } of open) {
    for (const entry of await entriesFor(deps, id, { principal_sub: "", groups: [] })) {
      byCode.set(entry.code, entry);
    }
  }
  return [...byCode.values()];
}

async function entriesFor(
  deps: Deps,
  gateway_id: string,
  principal: { principal_sub: string; groups: readonly string[] },
): Promise<CatalogEntry[]> {
  const { levelFor } = await standingOf(deps, gateway_id, principal);
  const entries = await catalogEntries(deps.db, gateway_id);
  return entries.filter((entry) => entry.status === "shown" && levelFor(entry).level !== "none");
}

async function entryNamed(
  deps: Deps,
  call: Asking & { params: { server_name: string } },
): Promise<CatalogEntry> {
  const { server_name } = call.params;
  const entry = (await usableEntries(deps, call)).find(({ code }) => nameOf(code) === server_name);
  if (!entry) throw new AppError("not_found", "There is no such server here.");
  return entry;
}

/** Names of the format have a slash, codes of ours may have none. */
const nameOf = (code: string): string => (code.includes("/") ? code : `portcullis/${code}`);

/** As the format bounds them: clients may refuse a whole list for one text that is too long or empty. */
const TEXT_MOST = 100;
const ICON_MOST = 255;
const cut = (text: string): string => [...text].slice(0, TEXT_MOST).join("");

function listed(entry: CatalogEntry, { origin }: Asking): ServerListing {
  const { code, name, description, server_version, website_url, icon_url, updated_at } = entry;
  return {
    server: {
      name: nameOf(code),
      title: cut(name),
      description: cut(description.trim() || name),
      version: server_version,
      ...(website_url ? { websiteUrl: website_url } : {}),
      ...(icon_url && icon_url.length <= ICON_MOST ? { icons: [{ src: icon_url }] } : {}),
      // Not the server's own address: calls go through the gateway, or not at all.
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
