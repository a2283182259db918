/** Wire shapes of registries: the upstreams of a gateway, one option schema per kind. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { HttpUrl, SecretHeaders } from "./http-shapes.ts";
import { McpAuth, McpOptions } from "./mcp-registries.ts";
import { resource } from "./resource.ts";
import { Id, Name, SecretText, storedMembers } from "./shapes.ts";

export const CAPABILITIES = [
  "chat",
  "responses",
  "messages",
  "embeddings",
  "images",
  "audio_speech",
  "audio_transcription",
  "files",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

const base_url = HttpUrl.describe("Replaces the provider's own address, version part included.");
const Optional = z.strictObject({ base_url: base_url.optional() });
const None = z.strictObject({});

/** What `provider_options` holds for an AI upstream, by kind. A kind that is not here does not exist. */
export const KIND_OPTIONS = {
  openai: Optional,
  azure: z.strictObject({
    endpoint: HttpUrl.describe("`https://<resource>.openai.azure.com`."),
    api_version: z
      .string()
      .regex(/^[\w.-]{1,40}$/)
      .default("2024-10-21"),
  }),
  openai_compatible: z.strictObject({
    base_url,
    headers: SecretHeaders,
  }),
  openrouter: Optional,
  groq: Optional,
  mistral: Optional,
  xai: Optional,
  anthropic: Optional,
  google: Optional,
  bedrock: z.strictObject({
    region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "is not an AWS region"),
    base_url: base_url.optional(),
  }),
  cohere: Optional,
  deepseek: Optional,
  cerebras: Optional,
  demo: None,
} as const satisfies Record<string, z.ZodObject>;
export type Kind = keyof typeof KIND_OPTIONS;
export const KINDS = Object.keys(KIND_OPTIONS) as [Kind, ...Kind[]];

/** What `provider_options` holds for every registry, MCP servers included. */
export const PROVIDER_OPTIONS = { ...KIND_OPTIONS, mcp: McpOptions } as const;
export type ProviderName = keyof typeof PROVIDER_OPTIONS;
export const PROVIDER_NAMES = Object.keys(PROVIDER_OPTIONS) as [ProviderName, ...ProviderName[]];

/** Kinds that answer without a credential: the built-in demo, and a compatible server of your own. */
export const KINDS_WITHOUT_KEY: readonly Kind[] = ["demo", "openai_compatible"];

/** Where secrets stand inside a registry. */
export const REGISTRY_SECRETS = [
  "auth.api_key",
  "auth.value",
  "auth.client_secret",
  "provider_options.headers.*",
] as const;

export const ApiKeyAuth = z.strictObject({
  type: z.literal("api_key"),
  api_key: SecretText.describe(
    "Stored encrypted and shown masked. A masked or empty value on update keeps the stored one.",
  ),
});

export type ApiKeyAuth = z.infer<typeof ApiKeyAuth>;

/** `api_key` is for AI upstreams, the others for MCP servers. */
export const RegistryAuth = z.discriminatedUnion("type", [ApiKeyAuth, ...McpAuth.options]);
export type RegistryAuth = z.infer<typeof RegistryAuth>;

export const RegistryInput = z.strictObject({
  name: Name,
  type: z.enum(["llm", "mcp"]).default("llm").describe("An AI upstream, or an MCP server."),
  provider: z
    .enum(PROVIDER_NAMES)
    .default("mcp")
    .describe("The kind of AI upstream. Left out, or `mcp`, when the type is `mcp`."),
  provider_options: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("Depends on `provider`: see `GET /v1/registry-kinds`."),
  auth: RegistryAuth.nullable().default(null).describe("null: it asks for no credential."),
  capabilities: z
    .array(z.enum(CAPABILITIES))
    .min(1)
    .max(CAPABILITIES.length)
    .nullable()
    .default(null)
    .describe("Narrows what the kind can do. Left out or null: everything it can."),
  enabled: z.boolean().default(true),
  allow_private: z
    .boolean()
    .default(false)
    .describe("May reach loopback and private addresses, and plain http."),
});
export type RegistryInput = z.infer<typeof RegistryInput>;

export const Registry = z.object({
  ...RegistryInput.shape,
  gateway_id: Id,
  capabilities: z.array(z.enum(CAPABILITIES)).describe("What it can do now."),
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
    summary: "Delete a registry; an instance that principals have installed only with `force`",
    query: z.strictObject({
      force: z.stringbool().default(false).describe("Removes the installs too."),
    }),
  },
};

export const ConnectionReport = z.object({
  ok: z.boolean(),
  stage: z.enum(["address", "connect", "credential", "answer"]).describe("How far the call came."),
  provider: z.enum(KINDS),
  status_code: z.int().nullable(),
  latency_ms: z.number(),
  message: z.string().describe("What was found, and what to do about it."),
});
export type ConnectionReport = z.infer<typeof ConnectionReport>;

export const testConnection = endpoint({
  name: "test_registry_connection",
  method: "POST",
  path: "/v1/gateways/:gateway_id/registries/test-connection",
  auth: "write",
  summary: "Try a registry before saving it, or a stored one by `id`; asks for its model list",
  body: z.union([z.strictObject({ id: Id }), RegistryInput]),
  reply: ConnectionReport,
  writes: false,
});

export const listRegistryKinds = endpoint({
  name: "list_registry_kinds",
  method: "GET",
  path: "/v1/registry-kinds",
  auth: "read",
  summary: "List the kinds of registry with their capabilities and the schema of their options",
  reply: z.object({
    items: z.array(
      z.object({
        kind: z.enum(KINDS),
        capabilities: z.array(z.enum(CAPABILITIES)),
        needs_key: z.boolean(),
        options_schema: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
});
