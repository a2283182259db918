/** Wire shapes of the Store's catalog: which servers there are, and what each needs before it works. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { HeaderName, HttpUrl } from "./http-shapes.ts";
import { ServerField, StoreCode } from "./mcp-registries.ts";
import { toPatchSchema } from "./resource.ts";
import { Name, PageQuery, page, Text, Time } from "./shapes.ts";
import { AccessLevel, PrincipalSub } from "./store-access.ts";
import { INSTALL_STATUSES } from "./store-installs.ts";

const HttpsUrl = z.url({ protocol: /^https$/ }).max(2000);

const scope = z
  .enum(["admin", "principal"])
  .describe("Who gives the value: an administrator once, or each principal.");

export const CatalogField = ServerField.extend({ scope: scope.default("admin") });
export type CatalogField = z.infer<typeof CatalogField>;

/** What a server asks of its callers. */
export const CatalogAuth = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("none") }),
  z.strictObject({
    type: z.literal("key"),
    header: HeaderName.default("Authorization"),
    scheme: Text.max(64).default("Bearer"),
    scope: scope.default("admin"),
  }),
  z.strictObject({
    type: z.literal("oauth"),
    registration: z
      .enum(["auto", "manual"])
      .default("auto")
      .describe("`manual`: an administrator registers a client with the vendor first."),
    grant_type: z.enum(["authorization_code", "client_credentials"]).default("authorization_code"),
    authorize_url: HttpUrl.nullable().default(null).describe("null: discovered."),
    token_url: HttpUrl.nullable().default(null).describe("null: discovered."),
    scopes: z.array(Text.min(1).max(255)).max(100).default([]),
    resource: HttpUrl.nullable().default(null),
  }),
  z.strictObject({ type: z.literal("unknown") }).describe("Imported: nobody has looked yet."),
]);
export type CatalogAuth = z.infer<typeof CatalogAuth>;

export const CatalogEntryInput = z.strictObject({
  // At this address servers are imported.
  code: StoreCode.refine((code) => code !== "import", "is taken; choose another one"),
  name: Name,
  vendor: Text.max(255).default(""),
  category: Text.trim().max(200).default("other"),
  description: Text.default(""),
  icon_url: HttpsUrl.nullable().default(null),
  website_url: HttpsUrl.nullable().default(null),
  server_version: Text.min(1).max(100).default("1.0.0").describe("The server's own version."),
  transport: z.literal("streamable-http").default("streamable-http"),
  url: Text.min(1).describe("May hold `{key}` of a field with `in: path`."),
  auth: CatalogAuth.default({ type: "none" }),
  fields: z.array(CatalogField).max(20).default([]),
  status: z.enum(["shown", "hidden"]).default("shown").describe("Hidden: not in the Store."),
  allow_private: z
    .boolean()
    .default(false)
    .describe("Instances made from it may reach private addresses, and plain http."),
});
export type CatalogEntryInput = z.infer<typeof CatalogEntryInput>;

export const CatalogEntry = z.object({
  ...CatalogEntryInput.shape,
  source: z
    .enum(["shipped", "imported", "custom"])
    .describe("Who wrote it: it came with the program, from a registry, or from you."),
  needs_admin_setup: z
    .boolean()
    .describe("An administrator must make an instance before anybody can install it."),
  updated_at: Time.nullable().describe("null: as shipped."),
});
export type CatalogEntry = z.infer<typeof CatalogEntry>;

const path = "/v1/gateways/:gateway_id/store/catalog";
/** A code holds a slash: in a path it is written `%2F`. */
const one = `${path}/:code` as const;

export const listCatalog = endpoint({
  name: "list_catalog",
  method: "GET",
  path,
  auth: "read",
  summary: "List the Store's servers; with `principal_sub`, what that principal could do with each",
  query: PageQuery.omit({ sort: true }).extend({
    category: Text.optional(),
    status: z.enum(["shown", "hidden"]).optional(),
    source: CatalogEntry.shape.source.optional(),
    principal_sub: PrincipalSub.optional(),
    groups: Text.optional().describe("Groups of that principal, separated by commas."),
  }),
  reply: page(
    CatalogEntry.extend({
      level: AccessLevel.nullable().describe("Of `principal_sub`; null without one."),
      install_status: z.enum(INSTALL_STATUSES).nullable(),
    }),
  ),
});

export const getCatalogEntry = endpoint({
  name: "get_catalog_entry",
  method: "GET",
  path: one,
  auth: "read",
  summary: "Read a Store server",
  reply: CatalogEntry,
});

export const createCatalogEntry = endpoint({
  name: "create_catalog_entry",
  method: "POST",
  path,
  auth: "write",
  summary: "Add a server to the Store",
  body: CatalogEntryInput,
  reply: CatalogEntry,
  status: 201,
  configures: false,
});

export const updateCatalogEntry = endpoint({
  name: "update_catalog_entry",
  method: "PUT",
  path: one,
  auth: "write",
  summary: "Change a Store server; members left out keep their value",
  body: toPatchSchema(CatalogEntryInput.omit({ code: true })),
  reply: CatalogEntry,
  configures: false,
});

export const deleteCatalogEntry = endpoint({
  name: "delete_catalog_entry",
  method: "DELETE",
  path: one,
  auth: "write",
  summary: "Take a server out of the Store; a shipped one goes back to how it was shipped",
  configures: false,
});

export const ImportReport = z.object({
  imported: z.array(z.string()),
  skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
});
export type ImportReport = z.infer<typeof ImportReport>;

export const importCatalog = endpoint({
  name: "import_catalog",
  method: "POST",
  path: `${path}/import`,
  auth: "write",
  summary: "Import server.json files, or a registry that speaks `/v0.1`; entries arrive hidden",
  body: z.union([
    z.strictObject({
      servers: z
        .array(z.record(z.string(), z.unknown()))
        .min(1)
        .max(500)
        .describe("Contents of server.json files."),
    }),
    z.strictObject({
      registry_url: HttpUrl.describe("Such as `https://registry.modelcontextprotocol.io`."),
      search: Text.max(200).optional(),
      limit: z.int().min(1).max(500).default(100).describe("How many servers at most."),
      allow_private: z.boolean().default(false),
    }),
  ]),
  reply: ImportReport,
  writes: false,
  calls_out: true,
});

/** As an instance holds them: what is asked of each principal. */
export const listPrincipalFields = ({ fields }: Pick<CatalogEntryInput, "fields">): ServerField[] =>
  fields.filter(({ scope }) => scope === "principal").map(({ scope: _, ...field }) => field);

/** Whether somebody must supply something before principals can connect by themselves. */
export function needsAdminSetup({ auth, fields }: CatalogEntryInput): boolean {
  const byAdmin =
    (auth.type === "key" && auth.scope === "admin") ||
    (auth.type === "oauth" &&
      (auth.registration === "manual" || auth.grant_type === "client_credentials")) ||
    auth.type === "unknown";
  return byAdmin || fields.some(({ required, scope }) => required && scope === "admin");
}
