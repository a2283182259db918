/** An MCP instance while it is typed, what the catalog suggests for it, and what is saved. */
import type { McpOptions, ServerField } from "../../../contract/mcp-registries.ts";
import type { Registry } from "../../../contract/registries.ts";
import type { CatalogEntry } from "../../../contract/store-catalog.ts";
import { type Pairs, toPairs, toRecord } from "../../ui/pairs-field.tsx";
import { type Schema, type SchemaDraft, toDraft, toValues } from "../../ui/schema-draft.ts";
import { type AuthDraft, suggestAuth, toAuthDraft, toAuthInput } from "./instance-auth-draft.ts";

export interface InstanceDraft {
  name: string;
  /** Empty: it is no server of the Store. */
  code: string;
  url: string;
  auth: AuthDraft;
  /** Headers and fields. */
  extras: SchemaDraft;
  tool_aliases: Pairs;
  /** Otherwise those of `allowed_tools`: no line means no tool. */
  allTools: boolean;
  allowed_tools: string;
  enabled: boolean;
  allow_private: boolean;
}

const FIELD: Record<keyof ServerField, Schema> = {
  key: { type: "string", description: "Its name in the address, or of the parameter or header." },
  in: { enum: ["path", "query", "header"], description: "path replaces {key} in the address." },
  label: { type: "string" },
  description: { type: "string" },
  required: { type: "boolean", default: true },
  secret: { type: "boolean", default: false },
  choices: { type: "array", items: { type: "string" }, description: "None: free text." },
};

const TEXTS: Schema = { type: "object", additionalProperties: { type: "string" } };

/** What is added to a call: for everybody, and by each person. */
export const EXTRAS_SCHEMA: { properties: Partial<Record<keyof McpOptions, Schema>> } = {
  properties: {
    headers: { ...TEXTS, description: "Sent with every call. Values are kept as secrets." },
    fields: {
      type: "array",
      items: { properties: FIELD, required: ["key", "in"] },
      description: "What each person fills in before using it.",
    },
  },
};

export function toInstanceDraft(registry: Registry): InstanceDraft {
  const { name, auth, enabled, allow_private } = registry;
  // The server checked them by their schema when they were saved.
  const options = registry.provider_options as McpOptions;
  return {
    name,
    code: options.code ?? "",
    url: options.url ?? "",
    auth: toAuthDraft(auth),
    extras: toDraft(EXTRAS_SCHEMA, options),
    tool_aliases: toPairs(options.tool_aliases),
    allTools: options.allowed_tools === null,
    allowed_tools: (options.allowed_tools ?? []).join("\n"),
    enabled,
    allow_private,
  };
}

/** A new one: what an administrator must give stands there to be filled in. */
export function suggestInstanceDraft(entry: CatalogEntry | undefined): InstanceDraft {
  const fields = entry?.fields ?? [];
  const ours = fields.filter((field) => field.scope === "admin" && field.in === "header");
  const theirs = fields.filter(({ scope }) => scope === "principal");
  return {
    name: entry?.name ?? "",
    code: entry?.code ?? "",
    url: entry?.url ?? "",
    auth: suggestAuth(entry?.auth),
    extras: toDraft(EXTRAS_SCHEMA, {
      headers: Object.fromEntries(ours.map(({ key }) => [key, ""])),
      fields: theirs,
    }),
    tool_aliases: [],
    allTools: true,
    allowed_tools: "",
    enabled: true,
    allow_private: entry?.allow_private ?? false,
  };
}

export function toInstanceInput(draft: InstanceDraft) {
  const { name, code, url, enabled, allow_private } = draft;
  const tools = draft.allowed_tools.split("\n").filter((line) => line.trim() !== "");
  return {
    name,
    type: "mcp" as const,
    provider_options: {
      ...toValues(EXTRAS_SCHEMA, draft.extras, "provider_options"),
      code: code || null,
      ...(url ? { url } : {}),
      tool_aliases: toRecord(draft.tool_aliases),
      allowed_tools: draft.allTools ? null : tools,
    },
    auth: toAuthInput(draft.auth),
    enabled,
    allow_private,
  };
}
