/** Wire shapes of registries: the upstreams of a gateway, with one options schema per kind. */
import { z } from "zod";
import { isMasked } from "../../lib/json/secret-paths.ts";
import { endpoint } from "../endpoint.ts";
import { HttpUrl, SecretHeaders } from "../http-shapes.ts";
import { resource } from "../resource.ts";
import { Id, Name, SecretText, storedMembers } from "../shapes.ts";
import { McpAuth, McpOptions } from "../store/mcp-registries.ts";
import { AwsRegion, CLOUD_AUTH } from "./cloud-auth.ts";

export const CAPABILITIES = [
  "chat",
  "responses",
  "messages",
  "generate_content",
  "converse",
  "embeddings",
  "images",
  "audio_speech",
  "audio_transcription",
  "files",
  "completions",
  "moderations",
  "rerank",
  "count_tokens",
  "count_content_tokens",
  "response_context",
  "stored_responses",
  "conversations",
  "uploads",
  "batches",
  "message_batches",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Capabilities of objects that an upstream stores. Their requests are routed by id, and a model only pins. */
export const OBJECT_CAPABILITIES: ReadonlySet<Capability> = new Set([
  "files",
  "stored_responses",
  "conversations",
  "uploads",
  "batches",
  "message_batches",
]);

/** Egress settings of one registry. */
const egress = {
  ca_bundle: z
    .string()
    .max(65_536)
    .regex(/^\s*-----BEGIN CERTIFICATE-----/, "must be certificates in PEM format")
    .optional()
    .describe(
      "Certificate authorities (PEM) that are trusted for this registry, besides the built-in ones.",
    ),
  proxy_url: z
    .string()
    .max(2000)
    .meta({ format: "password" })
    .refine(isProxyUrl, "must be an http URL such as http://user:password@proxy.example.com:3128")
    .optional()
    .describe(
      "HTTP proxy of this registry, instead of EGRESS_PROXY. Stored encrypted and shown masked.",
    ),
};

/** Accepts a masked or empty value, which keeps the stored one. */
function isProxyUrl(text: string): boolean {
  if (text === "" || isMasked(text)) return true;
  const url = URL.parse(text);
  if (url?.protocol !== "http:" || url.pathname !== "/" || url.search || url.hash) return false;
  // A `%` that encodes nothing could not be decoded when the proxy is used.
  return !/%(?![0-9a-f]{2})/i.test(url.username + url.password);
}

const base_url = HttpUrl.describe(
  "Replaces the address of the provider, including the version segment.",
);
const BaseUrlOptions = z.strictObject({ base_url: base_url.optional(), ...egress });

/** Schema of `provider_options` for each kind of AI upstream. */
export const KIND_OPTIONS = {
  openai: BaseUrlOptions,
  azure: z.strictObject({
    endpoint: HttpUrl.describe("`https://<resource>.openai.azure.com`."),
    api: z
      .enum(["deployments", "v1", "v1_preview"])
      .default("deployments")
      .describe(
        "`deployments`: paths with the deployment. `v1`: paths below `/openai/v1`, with the deployment as `model` in the body; `v1_preview` adds `api-version=preview`.",
      ),
    api_version: z
      .string()
      .regex(/^[\w.-]{1,40}$/)
      .default("2024-10-21")
      .describe("Used with `deployments` only."),
    ...egress,
  }),
  openai_compatible: z.strictObject({
    base_url,
    headers: SecretHeaders,
    ...egress,
  }),
  openrouter: BaseUrlOptions,
  groq: BaseUrlOptions,
  mistral: BaseUrlOptions,
  xai: BaseUrlOptions,
  anthropic: BaseUrlOptions,
  google: BaseUrlOptions,
  vertex: z.strictObject({
    project: z
      .string()
      .regex(/^[a-z0-9][a-z0-9:.-]{0,62}$/, "must be a Google Cloud project id or number"),
    location: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,40}$/, "must be a location such as europe-west4 or global"),
    version: z.enum(["v1", "v1beta1"]).default("v1"),
    base_url: HttpUrl.optional().describe(
      "Replaces `https://<location>-aiplatform.googleapis.com`, without the version segment.",
    ),
    ...egress,
  }),
  bedrock: z.strictObject({
    region: AwsRegion,
    base_url: base_url.optional(),
    ...egress,
  }),
  cohere: BaseUrlOptions,
  deepseek: BaseUrlOptions,
  cerebras: BaseUrlOptions,
  demo: z.strictObject({}),
} as const satisfies Record<string, z.ZodObject>;
export type Kind = keyof typeof KIND_OPTIONS;
export const KINDS = Object.keys(KIND_OPTIONS) as [Kind, ...Kind[]];

/** Schema of `provider_options` for each provider, including MCP servers. */
export const PROVIDER_OPTIONS = { ...KIND_OPTIONS, mcp: McpOptions } as const;
export type ProviderName = keyof typeof PROVIDER_OPTIONS;
export const PROVIDER_NAMES = Object.keys(PROVIDER_OPTIONS) as [ProviderName, ...ProviderName[]];

/** Types of `auth` for each kind; `api_key` for kinds that are not listed. */
const KIND_AUTH: Partial<Record<Kind, readonly RegistryAuth["type"][]>> = {
  azure: ["api_key", "azure"],
  bedrock: ["api_key", "aws"],
  vertex: ["gcp_service_account"],
  demo: [],
};

export const listAuthTypes = (kind: Kind): readonly RegistryAuth["type"][] =>
  KIND_AUTH[kind] ?? ["api_key"];

/** Kinds that work without a credential. */
export const KINDS_WITHOUT_KEY: readonly Kind[] = ["demo", "openai_compatible"];

/** Paths of the secrets in a registry. */
export const REGISTRY_SECRETS = [
  "auth.api_key",
  "auth.value",
  "auth.client_secret",
  "auth.secret_access_key",
  "auth.session_token",
  "auth.credentials",
  "provider_options.headers.*",
  "provider_options.proxy_url",
] as const;

export const ApiKeyAuth = z.strictObject({
  type: z.literal("api_key"),
  api_key: SecretText.describe(
    "Stored encrypted and shown masked. On update, a masked or empty value keeps the stored one.",
  ),
});

export type ApiKeyAuth = z.infer<typeof ApiKeyAuth>;

/** Credentials of AI upstreams, then those of MCP servers. */
export const RegistryAuth = z.discriminatedUnion("type", [
  ApiKeyAuth,
  ...CLOUD_AUTH,
  ...McpAuth.options,
]);
export type RegistryAuth = z.infer<typeof RegistryAuth>;

export const RegistryInput = z.strictObject({
  name: Name,
  type: z.enum(["llm", "mcp"]).default("llm").describe("`llm`: AI upstream. `mcp`: MCP server."),
  provider: z
    .enum(PROVIDER_NAMES)
    .default("mcp")
    .describe("Kind of AI upstream. Left out, or `mcp`, for an MCP server."),
  provider_options: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("Options of the provider: see `GET /v1/registry-kinds`."),
  auth: RegistryAuth.nullable().default(null).describe("null: no credential is sent."),
  capabilities: z
    .array(z.enum(CAPABILITIES))
    .min(1)
    .max(CAPABILITIES.length)
    .nullable()
    .default(null)
    .describe("Limits the capabilities of the kind. null: all of them."),
  enabled: z.boolean().default(true).describe("false: no request is sent to it."),
  allow_private: z
    .boolean()
    .default(false)
    .describe("Allows loopback and private addresses, and plain http. Only an owner may set it."),
});
export type RegistryInput = z.infer<typeof RegistryInput>;

export const Registry = z.object({
  ...RegistryInput.shape,
  gateway_id: Id,
  capabilities: z.array(z.enum(CAPABILITIES)).describe("Effective capabilities."),
  ...storedMembers,
});
export type Registry = z.infer<typeof Registry>;

const crud = resource({
  noun: "registry",
  plural: "registries",
  path: "/v1/gateways/:gateway_id/registries",
  id: "registry_id",
  input: RegistryInput,
  reply: Registry,
});

export const registries = {
  ...crud,
  remove: {
    ...crud.remove,
    summary: "Delete a registry; an installed instance requires `force`",
    query: z.strictObject({
      force: z.stringbool().default(false).describe("Also removes the installs of principals."),
    }),
  },
};

export const ConnectionReport = z.object({
  ok: z.boolean().describe("The upstream accepted the request."),
  stage: z
    .enum(["address", "connect", "credential", "answer"])
    .describe("Last stage that the test reached."),
  provider: z.enum(KINDS),
  status_code: z.int().nullable(),
  latency_ms: z.number(),
  message: z.string().describe("Result, and what to do if the test failed."),
});
export type ConnectionReport = z.infer<typeof ConnectionReport>;

export const testConnection = endpoint({
  name: "test_registry_connection",
  method: "POST",
  path: "/v1/gateways/:gateway_id/registries/test-connection",
  auth: "write",
  summary:
    "Test the connection of a stored registry (`id`) or an unsaved one; requests its model list",
  body: z.union([z.strictObject({ id: Id }), RegistryInput]),
  reply: ConnectionReport,
  writes: false,
});

export const listRegistryKinds = endpoint({
  name: "list_registry_kinds",
  method: "GET",
  path: "/v1/registry-kinds",
  auth: "read",
  summary: "List the kinds of registries, with their capabilities and the schema of their options",
  reply: z.object({
    items: z.array(
      z.object({
        kind: z.enum(KINDS),
        capabilities: z.array(z.enum(CAPABILITIES)),
        needs_key: z.boolean(),
        auth_types: z
          .array(z.object({ type: z.string(), schema: z.record(z.string(), z.unknown()) }))
          .describe("Accepted types of `auth`, with the schema of their members."),
        options_schema: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
});
