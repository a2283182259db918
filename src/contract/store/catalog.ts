/** Wire shapes of the Store's catalog: available servers and their requirements. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { HeaderName, HttpUrl } from "../http-shapes.ts";
import { toPatchSchema } from "../resource.ts";
import { Name, PageQuery, page, Text, Time } from "../shapes.ts";
import { AccessLevel, PrincipalSub } from "./access.ts";
import { INSTALL_STATUSES } from "./installs.ts";
import { ServerField, StoreCode } from "./mcp-registries.ts";

const HttpsUrl = z.url({ protocol: /^https$/ }).max(2000);

const scope = z
  .enum(["admin", "principal"])
  .describe("Who enters the value: an administrator once, or each principal.");

export const CatalogField = ServerField.extend({ scope: scope.default("admin") });
export type CatalogField = z.infer<typeof CatalogField>;

/** Authentication that a server requires. */
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
      .describe("`manual`: an administrator must register a client with the vendor first."),
    grant_type: z.enum(["authorization_code", "client_credentials"]).default("authorization_code"),
    authorize_url: HttpUrl.nullable().default(null).describe("null: discovered."),
    token_url: HttpUrl.nullable().default(null).describe("null: discovered."),
    scopes: z.array(Text.min(1).max(255)).max(100).default([]),
    resource: HttpUrl.nullable().default(null),
  }),
  z.strictObject({ type: z.literal("unknown") }).describe("Not known yet: the entry was imported."),
]);
export type CatalogAuth = z.infer<typeof CatalogAuth>;

export const CatalogEntryInput = z.strictObject({
  // `/import` is the path of an endpoint.
  code: StoreCode.refine((code) => code !== "import", "is reserved; choose another one"),
  name: Name,
  vendor: Text.max(255).default("").describe("Company that operates the server."),
  category: Text.trim().max(200).default("other").describe("Category in the Store."),
  description: Text.default("").describe("What the server does."),
  icon_url: HttpsUrl.nullable().default(null),
  website_url: HttpsUrl.nullable().default(null),
  server_version: Text.min(1).max(100).default("1.0.0").describe("The server's own version."),
  transport: z.literal("streamable-http").default("streamable-http"),
  url: Text.min(1).describe("Address; may contain the `{key}` of a field with `in: path`."),
  auth: CatalogAuth.default({ type: "none" }).describe("Authentication that the server requires."),
  fields: z.array(CatalogField).max(20).default([]).describe("Values that must be filled in."),
  status: z
    .enum(["shown", "hidden"])
    .default("shown")
    .describe("`hidden`: not shown in the Store."),
  allow_private: z
    .boolean()
    .default(false)
    .describe("Allows its instances private addresses and plain http. Only an owner may set it."),
});
export type CatalogEntryInput = z.infer<typeof CatalogEntryInput>;

export const CatalogEntry = z.object({
  ...CatalogEntryInput.shape,
  source: z
    .enum(["shipped", "imported", "custom"])
    .describe("Origin: shipped with the program, imported from a registry, or created here."),
  needs_admin_setup: z
    .boolean()
    .describe("An administrator must create an instance before principals can install it."),
  updated_at: Time.nullable().describe("null: unchanged since it was shipped."),
});
export type CatalogEntry = z.infer<typeof CatalogEntry>;

const path = "/v1/gateways/:gateway_id/store/catalog";
/** A code may contain a slash, which is written `%2F` in the path. */
const one = `${path}/:code` as const;

export const listCatalog = endpoint({
  name: "list_catalog",
  method: "GET",
  path,
  auth: "read",
  summary: "List Store servers; with `principal_sub`, also the access level of that principal",
  query: PageQuery.omit({ sort: true }).extend({
    category: Text.optional(),
    status: z.enum(["shown", "hidden"]).optional(),
    source: CatalogEntry.shape.source.optional(),
    principal_sub: PrincipalSub.optional(),
    groups: Text.optional().describe("Groups of that principal, separated by commas."),
  }),
  reply: page(
    CatalogEntry.extend({
      level: AccessLevel.nullable().describe("Access level of `principal_sub`; null without one."),
      install_status: z.enum(INSTALL_STATUSES).nullable(),
    }),
  ),
});

export const getCatalogEntry = endpoint({
  name: "get_catalog_entry",
  method: "GET",
  path: one,
  auth: "read",
  summary: "Get a Store server",
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
  summary: "Update a Store server; members left out keep their value",
  body: toPatchSchema(CatalogEntryInput.omit({ code: true })),
  reply: CatalogEntry,
  configures: false,
});

export const deleteCatalogEntry = endpoint({
  name: "delete_catalog_entry",
  method: "DELETE",
  path: one,
  auth: "write",
  summary: "Delete a server from the Store; a shipped one is reset to its original entry",
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
  summary: "Import server.json files, or servers of a `/v0.1` registry; new entries are hidden",
  body: z.union([
    z.strictObject({
      servers: z
        .array(z.record(z.string(), z.unknown()))
        .min(1)
        .max(500)
        .describe("Contents of server.json files."),
    }),
    z.strictObject({
      registry_url: HttpUrl.describe("Address such as `https://registry.modelcontextprotocol.io`."),
      search: Text.max(200).optional(),
      limit: z.int().min(1).max(500).default(100).describe("Maximum number of servers."),
      allow_private: z.boolean().default(false),
    }),
  ]),
  reply: ImportReport,
  writes: false,
  calls_out: true,
});

/** Returns the fields that each principal fills in, as an instance stores them. */
export const listPrincipalFields = ({ fields }: Pick<CatalogEntryInput, "fields">): ServerField[] =>
  fields.filter(({ scope }) => scope === "principal").map(({ scope: _, ...field }) => field);

/** Returns whether an administrator must set up the server before principals can connect. */
export function needsAdminSetup({ auth, fields }: CatalogEntryInput): boolean {
  const byAdmin =
    (auth.type === "key" && auth.scope === "admin") ||
    (auth.type === "oauth" &&
      (auth.registration === "manual" || auth.grant_type === "client_credentials")) ||
    auth.type === "unknown";
  return byAdmin || fields.some(({ required, scope }) => required && scope === "admin");
}
