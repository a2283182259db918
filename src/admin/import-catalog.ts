/** Imports servers from a public registry, or from server.json files, into the catalog of a gateway. */
import { z } from "zod";
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import type {
  CatalogEntry,
  CatalogEntryInput,
  CatalogField,
  ImportReport,
  importCatalog,
} from "../contract/store/catalog.ts";
import { StoreCode } from "../contract/store/mcp-registries.ts";
import { OFFICIAL_META, RegistryPage } from "../contract/store/server-json.ts";
import { changeStore } from "../db/config-revision.ts";
import type { AuditAuthor } from "../db/record-change.ts";
import { findCatalogEntry } from "../db/tables/catalog-entries.ts";
import type { Deps } from "../deps.ts";
import { isObject } from "../lib/json/json-object.ts";
import { hasMoreValues } from "../lib/json/measure-json.ts";
import { checkUrl } from "../net/check-url.ts";
import { readReplyText } from "../net/read-reply-bytes.ts";
import { entryFromServerJson } from "./entry-from-server-json.ts";
import { saveCatalogEntry } from "./save-catalog-entry.ts";

type ImportRequest = z.output<(typeof importCatalog)["body"]>;
type FromRegistry = Extract<ImportRequest, { registry_url: string }>;

interface ListedServer {
  server: unknown;
  /** Deleted in its registry: the imported entry is hidden. */
  deleted: boolean;
}

/** Reads the registry before the transaction begins, so that no other change waits for it. */
export async function runImport(
  deps: Deps,
  author: AuditAuthor,
  gateway_id: string,
  request: ImportRequest,
): Promise<ImportReport> {
  const listed =
    "servers" in request
      ? request.servers.map((server) => ({ server, deleted: false }))
      : await readRegistry(deps, request);
  const report: ImportReport = { imported: [], skipped: [] };
  await changeStore(deps.db, async (db) => {
    for (const one of listed) {
      const reason = await importOne({ ...deps, db }, author, gateway_id, one);
      const name = nameOf(one.server);
      if (reason === undefined) report.imported.push(name);
      else report.skipped.push({ name, reason });
    }
  });
  return report;
}

/** Returns the reason if the server was skipped. */
async function importOne(
  deps: Deps,
  author: AuditAuthor,
  gateway_id: string,
  { server, deleted }: ListedServer,
): Promise<string | undefined> {
  const code = StoreCode.safeParse(nameOf(server)).data;
  const before = code && (await findCatalogEntry(deps.db, gateway_id, code));
  if (before && before.source !== "imported") return "is already in the catalog";
  if (deleted) {
    if (before) await hide(deps, author, gateway_id, before);
    return "was deleted in its registry";
  }
  let input: CatalogEntryInput;
  try {
    input = entryFromServerJson(server);
  } catch (thrown) {
    const error = AppError.from(thrown);
    if (error.code === "internal") throw thrown;
    return error.message;
  }
  if (before) {
    // Keeps the settings of the administrator. A new address must be reviewed again.
    const { auth, category, url } = before;
    const status = url === input.url ? before.status : "hidden";
    const fields = input.fields.map((field) => ({ ...field, scope: findScope(before, field) }));
    input = { ...input, auth, category, status, fields };
    await saveCatalogEntry(deps, author, gateway_id, { input, source: "imported", before });
  } else await saveCatalogEntry(deps, author, gateway_id, { input, source: "imported" });
  return undefined;
}

async function hide(
  deps: Deps,
  author: AuditAuthor,
  gateway_id: string,
  before: CatalogEntry,
): Promise<void> {
  if (before.status === "hidden") return;
  const { source, needs_admin_setup: _, updated_at: __, ...entry } = before;
  const input: CatalogEntryInput = { ...entry, status: "hidden" };
  await saveCatalogEntry(deps, author, gateway_id, { input, source, before });
}

const findScope = ({ fields }: CatalogEntry, { key, scope }: CatalogField): CatalogField["scope"] =>
  fields.find((field) => field.key === key)?.scope ?? scope;

const MAX_PAGE_MIB = 8;
/** Some registries ignore the limit of a page. */
const MAX_PAGE_SERVERS = 10_000;
/** Validating takes up to 10 µs per value. */
const MAX_VALUES = 50_000;
const PAGE_ITEMS = 100;
const TIMEOUT_MS = 15_000;
/** Timeout for all pages together. */
const TOTAL_TIMEOUT_MS = 60_000;

async function readRegistry(deps: Deps, request: FromRegistry): Promise<ListedServer[]> {
  const { registry_url, search, limit, allow_private } = request;
  checkUrl(registry_url, "registry_url", allow_private);
  const signal = AbortSignal.timeout(TOTAL_TIMEOUT_MS);
  const listed: ListedServer[] = [];
  // Detects cycles.
  const seenCursors = new Set<string>();
  let cursor: string | undefined;
  while (listed.length < limit) {
    // Deleted servers may be in the catalog.
    const query = new URLSearchParams({
      version: "latest",
      include_deleted: "true",
      limit: String(PAGE_ITEMS),
    });
    if (search) query.set("search", search);
    if (cursor) query.set("cursor", cursor);
    const url = `${registry_url.replace(/\/+$/, "")}/v0.1/servers?${query}`;
    const reply = await deps.send({
      url,
      method: "GET",
      headers: { accept: "application/json" },
      allow_private,
      signal,
      timeouts: { headers_ms: TIMEOUT_MS, idle_ms: TIMEOUT_MS },
    });
    const text = await readReplyText(reply, MAX_PAGE_MIB * 1024 * 1024);
    if (reply.status !== 200) {
      throw new AppError("upstream_failed", `The registry returned status ${reply.status}.`);
    }
    const page = readPage(text);
    for (const { server, _meta } of page.servers) {
      const official = Official.safeParse(_meta?.[OFFICIAL_META]).data;
      // Some registries ignore `version=latest`.
      if (official?.isLatest === false) continue;
      listed.push({ server, deleted: official?.status === "deleted" });
    }
    const next = page.metadata?.nextCursor ?? page.metadata?.next_cursor ?? undefined;
    if (!next || seenCursors.has(next) || page.servers.length === 0) break;
    seenCursors.add(next);
    cursor = next;
  }
  const servers = listed.slice(0, limit);
  if (hasMoreValues(servers, MAX_VALUES)) {
    const problem = `The servers of the registry have more than ${MAX_VALUES} values. Import fewer.`;
    throw new AppError("upstream_failed", problem);
  }
  return servers;
}

const Official = z.object({ status: z.string().optional(), isLatest: z.boolean().optional() });

function readPage(text: string): z.output<typeof RegistryPage> {
  try {
    const page: unknown = JSON.parse(text);
    if (isObject(page) && Array.isArray(page.servers)) page.servers.splice(MAX_PAGE_SERVERS);
    return decode(RegistryPage, page, "upstream_failed");
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError("upstream_failed", "The response of the registry is not JSON.");
  }
}

const nameOf = (server: unknown): string => {
  const name = (server as { name?: unknown } | null)?.name;
  return typeof name === "string" ? name.slice(0, 200) : "";
};
