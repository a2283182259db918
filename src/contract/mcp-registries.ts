/** Wire shapes of MCP registries: the instances of a Store server, and how the gateway signs in there. */
import { z } from "zod";
import { HeaderName, HttpUrl, HttpUrlWithQuery, SecretHeaders } from "./http-shapes.ts";
import { SecretText, Text } from "./shapes.ts";

/** What a Store server is known by: a name of the public registry format, or a plain word. */
export const StoreCode = z
  .string()
  .max(200)
  .regex(
    /^([A-Za-z0-9][A-Za-z0-9.-]*\/[A-Za-z0-9._-]+|[A-Za-z0-9][A-Za-z0-9._-]{0,99})$/,
    "must be a name such as com.example/server, or a word of at most 100 letters, digits, dots and dashes",
  );

const FieldKey = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/, "is not a field key")
  // Values are kept by key: `constructor` would find what every object has.
  .refine((key) => !(key in {}), "is not a field key");

/** A value that somebody must give before a server can be used. */
export const ServerField = z.strictObject({
  key: FieldKey,
  label: Text.max(255).default(""),
  description: Text.default(""),
  required: z.boolean().default(true),
  secret: z.boolean().default(false),
  in: z
    .enum(["path", "query", "header"])
    .describe("`path` replaces `{key}` in the address; the others go under the name `key`."),
  choices: z.array(Text.max(255)).max(100).default([]).describe("Empty means free text."),
});
export type ServerField = z.infer<typeof ServerField>;

/** What is wrong with a list of fields; undefined: nothing. */
export function findFieldError(fields: readonly ServerField[]): string | undefined {
  const keys = fields.map(({ key }) => key.toLowerCase());
  for (const [index, field] of fields.entries()) {
    if (keys.indexOf(field.key.toLowerCase()) < index)
      return `fields[${index}].key: is there twice`;
    if (field.in === "path" && !field.required) {
      return `fields[${index}].required: an address with a gap leads nowhere`;
    }
    if (field.in === "header" && !HeaderName.safeParse(field.key).success) {
      return `fields[${index}].key: is a header that the gateway writes`;
    }
  }
  return undefined;
}

const scopes = z.array(Text.min(1).max(255)).max(100).default([]);

/** One header that everyone shares. */
export const HeaderAuth = z.strictObject({
  type: z.literal("header"),
  header: HeaderName.default("Authorization"),
  value: SecretText.describe(
    "The whole header value, such as `Bearer …`. Stored encrypted and shown masked.",
  ),
});

/** Each principal signs in with an account of their own. */
export const ForwardedAuth = z.strictObject({
  type: z.literal("forwarded"),
  client_id: Text.min(1)
    .max(512)
    .nullable()
    .default(null)
    .describe("null: the gateway registers itself as a client."),
  client_secret: SecretText.nullable().default(null).describe("Stored encrypted."),
  scopes,
});

/** The gateway signs in as itself. */
export const ClientCredentialsAuth = z.strictObject({
  type: z.literal("client_credentials"),
  token_url: HttpUrl,
  client_id: Text.min(1).max(512),
  client_secret: SecretText.describe("Stored encrypted and shown masked."),
  scopes,
  resource: HttpUrlWithQuery.nullable().default(null).describe("RFC 8707."),
});

/** Under this name a principal's own key is filled in. */
export const PRINCIPAL_KEY = "api_key";

/** Each principal brings a key of their own. */
export const PrincipalKeyAuth = z.strictObject({
  type: z.literal("principal_key"),
  header: HeaderName.default("Authorization"),
  scheme: Text.max(64)
    .default("Bearer")
    .describe("Stands before the key in the header. Empty: the key alone."),
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
    .describe("The Store server it is an instance of. null: only consumers reach it."),
  url: z
    .string()
    .max(2000)
    .optional()
    .describe("Where it answers; may hold `{key}` of a field. Left out: the catalog's address."),
  transport: z.literal("streamable-http").default("streamable-http"),
  headers: SecretHeaders,
  fields: z
    .array(ServerField)
    .max(20)
    .optional()
    .describe("What each principal fills in before using it. Left out: what the catalog says."),
  allowed_tools: z
    .array(ToolName)
    .max(1000)
    .nullable()
    .default(null)
    .describe("Names as the server gives them. null: every tool."),
  tool_aliases: z
    .record(ToolName, z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "is not a tool name"))
    .refine((aliases) => Object.keys(aliases).length <= 1000, "holds at most 1000 aliases")
    .refine(
      (aliases) => new Set(Object.values(aliases)).size === Object.keys(aliases).length,
      "gives two tools the same name",
    )
    .default({})
    .describe("A tool's own name to the one that clients see behind `<server>__`."),
});
export type McpOptions = z.infer<typeof McpOptions>;
