/** Brings servers of a public registry, or of files, into the catalog of a gateway. */
import { z } from "zod";
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import { StoreCode } from "../contract/mcp-registries.ts";
import { OFFICIAL_META, RegistryPage } from "../contract/server-json.ts";
import type {
  CatalogEntry,
  CatalogEntryInput,
  CatalogField,
  ImportReport,
  importCatalog,
} from "../contract/store-catalog.ts";
import { findCatalogEntry } from "../db/catalog-entries.ts";
import { changeStore } from "../db/config-revision.ts";
import type { AuditAuthor } from "../db/record-change.ts";
import type { Deps } from "../deps.ts";
import { checkUrl } from "../net/check-url.ts";
import { readText } from "../net/read-body.ts";
import { entryFromServerJson } from "./entry-from-server-json.ts";
import { saveCatalogEntry } from "./save-catalog-entry.ts";

type Wanted = z.output<(typeof importCatalog)["body"]>;
type FromRegistry = Extract<Wanted, { registry_url: string }>;

interface Listed {
  server: unknown;
  /** Taken back by its registry: what was imported is hidden. */
  deleted: boolean;
}

/** What is outside is asked before the turn is taken: no other change waits for it. */
export async function runImport(
  deps: Deps,
  author: AuditAuthor,
  gateway_id: string,
  wanted: Wanted,
): Promise<ImportReport> {
  const listed =
    "servers" in wanted
      ? wanted.servers.map((server) => ({ server, deleted: false }))
      : await readRegistry(deps, wanted);
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

/** The reason why it was left out; undefined when it is in the catalog now. */
async function importOne(
  deps: Deps,
  author: AuditAuthor,
  gateway_id: string,
  { server, deleted }: Listed,
): Promise<string | undefined> {
  const code = StoreCode.safeParse(nameOf(server)).data;
  const before = code && (await findCatalogEntry(deps.db, gateway_id, code));
  if (before && before.source !== "imported") return "is in the catalog already";
  if (deleted) {
    if (before) await hide(deps, author, gateway_id, before);
    return "was deleted by its registry";
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
    // What an administrator set stays. A new address is a new server: somebody must look again.
    const { auth, category, url } = before;
    const status = url === input.url ? before.status : "hidden";
    const fields = input.fields.map((field) => ({ ...field, scope: scopeIn(before, field) }));
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

const scopeIn = ({ fields }: CatalogEntry, { key, scope }: CatalogField): CatalogField["scope"] =>
  fields.find((field) => field.key === key)?.scope ?? scope;

const PAGE_MIB = 8;
const PAGE_ITEMS = 100;
const TIMEOUT_MS = 15_000;
/** For all pages: one that trickles must not hold the call for ever. */
const TOTAL_MS = 60_000;

async function readRegistry(deps: Deps, wanted: FromRegistry): Promise<Listed[]> {
  const { registry_url, search, limit, allow_private } = wanted;
  checkUrl(registry_url, "registry_url", allow_private);
  const signal = AbortSignal.timeout(TOTAL_MS);
  const listed: Listed[] = [];
  // A page that was read leads in a circle.
  const read = new Set<string>();
  let cursor: string | undefined;
  while (listed.length < limit) {
    // What was deleted must be told: it may be in the catalog here.
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
    const text = await readText(reply, PAGE_MIB * 1024 * 1024);
    if (reply.status !== 200) {
      throw new AppError("upstream_failed", `The registry answered ${reply.status}.`);
    }
    const page = readPage(text);
    for (const { server, _meta } of page.servers) {
      const official = Official.safeParse(_meta?.[OFFICIAL_META]).data;
      // Not every registry knows `version=latest`.
      if (official?.isLatest === false) continue;
      listed.push({ server, deleted: official?.status === "deleted" });
    }
    const next = page.metadata?.nextCursor ?? page.metadata?.next_cursor ?? undefined;
    if (!next || read.has(next) || page.servers.length === 0) break;
    read.add(next);
    cursor = next;
  }
  return listed.slice(0, limit);
}

const Official = z.object({ status: z.string().optional(), isLatest: z.boolean().optional() });

function readPage(text: string): z.output<typeof RegistryPage> {
  try {
    return decode(RegistryPage, JSON.parse(text), "upstream_failed");
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError("upstream_failed", "The registry did not answer with JSON.");
  }
}

const nameOf = (server: unknown): string => {
  const name = (server as { name?: unknown } | null)?.name;
  return typeof name === "string" ? name.slice(0, 200) : "";
};
