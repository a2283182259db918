/** Wire shapes of MCP registries: instances of Store servers, and their authentication. */
import { z } from "zod";
import { HeaderName, HttpUrl, HttpUrlWithQuery, SecretHeaders } from "../http-shapes.ts";
import { SecretText, Text } from "../shapes.ts";

/** Identity of a Store server: a name in the public registry format, or one word. */
export const StoreCode = z
  .string()
  .max(200)
  .regex(
    /^([A-Za-z0-9][A-Za-z0-9.-]*\/[A-Za-z0-9._-]+|[A-Za-z0-9][A-Za-z0-9._-]{0,99})$/,
    "must be a name such as com.example/server, or at most 100 letters, digits, dots, dashes and underscores",
  );

const FieldKey = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/,
    "must be a valid field key: letters, digits, dots, dashes and underscores",
  )
  // Values are looked up by key: `constructor` would find a member of every object.
  .refine(
    (key) => !(key in {}),
    "must be a valid field key: letters, digits, dots, dashes and underscores",
  );

/** Value that must be filled in before a server can be used. */
export const ServerField = z.strictObject({
  key: FieldKey,
  label: Text.max(255).default("").describe("Label in forms."),
  description: Text.default("").describe("Help text in forms."),
  required: z.boolean().default(true),
  secret: z.boolean().default(false).describe("The value is stored encrypted and not shown."),
  in: z
    .enum(["path", "query", "header"])
    .describe(
      "Where the value is sent. `path` replaces `{key}` in the address; `query` and `header` use `key` as the name.",
    ),
  choices: z
    .array(Text.max(255))
    .max(100)
    .default([])
    .describe("Allowed values. If empty, all text is allowed."),
});
export type ServerField = z.infer<typeof ServerField>;

/** Returns the first error in a list of fields. */
export function findFieldError(fields: readonly ServerField[]): string | undefined {
  const keys = fields.map(({ key }) => key.toLowerCase());
  for (const [index, field] of fields.entries()) {
    if (keys.indexOf(field.key.toLowerCase()) < index)
      return `fields[${index}].key: is listed twice`;
    if (field.in === "path" && !field.required) {
      return `fields[${index}].required: must be true, because the address needs the value`;
    }
    if (field.in === "header" && !HeaderName.safeParse(field.key).success) {
      return `fields[${index}].key: is a header that the gateway sets itself`;
    }
  }
  return undefined;
}

const scopes = z
  .array(Text.min(1).max(255))
  .max(100)
  .default([])
  .describe("OAuth scopes to request.");

/** One header for all principals. */
export const HeaderAuth = z.strictObject({
  type: z.literal("header"),
  header: HeaderName.default("Authorization"),
  value: SecretText.describe(
    "Complete header value, such as `Bearer …`. Stored encrypted and shown masked.",
  ),
});

/** Each principal connects their own account. */
export const ForwardedAuth = z.strictObject({
  type: z.literal("forwarded"),
  client_id: Text.min(1)
    .max(512)
    .nullable()
    .default(null)
    .describe("null: the gateway registers as a client."),
  client_secret: SecretText.nullable().default(null).describe("Stored encrypted and shown masked."),
  scopes,
});

/** The gateway requests tokens for itself. */
export const ClientCredentialsAuth = z.strictObject({
  type: z.literal("client_credentials"),
  token_url: HttpUrl,
  client_id: Text.min(1).max(512),
  client_secret: SecretText.describe("Stored encrypted and shown masked."),
  scopes,
  resource: HttpUrlWithQuery.nullable().default(null).describe("Resource indicator (RFC 8707)."),
});

/** Key of the field for a principal's own API key. */
export const PRINCIPAL_KEY = "api_key";

/** Each principal enters their own API key. */
export const PrincipalKeyAuth = z.strictObject({
  type: z.literal("principal_key"),
  header: HeaderName.default("Authorization"),
  scheme: Text.max(64)
    .default("Bearer")
    .describe("Prefix of the key in the header. Empty: no prefix."),
});

export const McpAuth = z.discriminatedUnion("type", [
  HeaderAuth,
  ForwardedAuth,
  ClientCredentialsAuth,
  PrincipalKeyAuth,
]);
export type McpAuth = z.infer<typeof McpAuth>;

const ToolName = Text.min(1).max(256);

/** `provider_options` of a registry with `type: "mcp"`. */
export const McpOptions = z.strictObject({
  code: StoreCode.nullable()
    .default(null)
    .describe(
      "Code of the Store server that this is an instance of. null: only for consumers, not in the Store.",
    ),
  url: z
    .string()
    .max(2000)
    .optional()
    .describe("Address; may contain the `{key}` of a field. Left out: the address in the catalog."),
  transport: z.literal("streamable-http").default("streamable-http"),
  headers: SecretHeaders,
  fields: z
    .array(ServerField)
    .max(20)
    .optional()
    .describe("Fields that each principal fills in. Left out: the fields in the catalog."),
  allowed_tools: z
    .array(ToolName)
    .max(1000)
    .nullable()
    .default(null)
    .describe("Names of the tools that callers may use. null: all tools."),
  tool_aliases: z
    .record(
      ToolName,
      z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, dashes and underscores"),
    )
    .refine((aliases) => Object.keys(aliases).length <= 1000, "must have at most 1000 aliases")
    .refine(
      (aliases) => new Set(Object.values(aliases)).size === Object.keys(aliases).length,
      "must not give two tools the same name",
    )
    .default({})
    .describe("Names for clients, by the name at the server. Clients see `<server>__<alias>`."),
});
export type McpOptions = z.infer<typeof McpOptions>;
