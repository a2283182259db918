/** Draft of an MCP instance, its defaults from the catalog, and the input it becomes. */

import type { Registry } from "../../../contract/gateway/registries.ts";
import type { CatalogEntry } from "../../../contract/store/catalog.ts";
import type { McpOptions, ServerField } from "../../../contract/store/mcp-registries.ts";
import { type Pairs, toPairs, toRecord } from "../../ui/fields/pairs-field.tsx";
import {
  type Schema,
  type SchemaDraft,
  toSchemaDraft,
  toValues,
} from "../../ui/fields/schema-draft.ts";
import { type AuthDraft, suggestAuth, toAuthDraft, toAuthInput } from "./instance-auth-draft.ts";

export interface InstanceDraft {
  name: string;
  /** Empty: not a server of the Store. */
  code: string;
  url: string;
  auth: AuthDraft;
  /** Headers and fields. */
  extras: SchemaDraft;
  tool_aliases: Pairs;
  /** False: only the tools in `allowed_tools`. */
  allTools: boolean;
  allowed_tools: string;
  enabled: boolean;
  allow_private: boolean;
}

const FIELD: Record<keyof ServerField, Schema> = {
  key: { type: "string", description: "Name of the placeholder, parameter or header." },
  in: { enum: ["path", "query", "header"], description: "path replaces {key} in the address." },
  label: { type: "string" },
  description: { type: "string" },
  required: { type: "boolean", default: true },
  secret: { type: "boolean", default: false },
  choices: { type: "array", items: { type: "string" }, description: "Empty: free text." },
};

const TEXTS: Schema = { type: "object", additionalProperties: { type: "string" } };

/** Headers of every call, and fields that each person fills in. */
export const EXTRAS_SCHEMA: { properties: Partial<Record<keyof McpOptions, Schema>> } = {
  properties: {
    headers: { ...TEXTS, description: "Sent with every call. Values are stored as secrets." },
    fields: {
      type: "array",
      items: { properties: FIELD, required: ["key", "in"] },
      description: "Values that each person enters before first use.",
    },
  },
};

export function toInstanceDraft(registry: Registry): InstanceDraft {
  const { name, auth, enabled, allow_private } = registry;
  // The server validated them against the schema.
  const options = registry.provider_options as McpOptions;
  return {
    name,
    code: options.code ?? "",
    url: options.url ?? "",
    auth: toAuthDraft(auth),
    extras: toSchemaDraft(EXTRAS_SCHEMA, options),
    tool_aliases: toPairs(options.tool_aliases),
    allTools: options.allowed_tools === null,
    allowed_tools: (options.allowed_tools ?? []).join("\n"),
    enabled,
    allow_private,
  };
}

/** Returns the draft of a new instance, with empty headers for values that an administrator must set. */
export function suggestInstanceDraft(entry: CatalogEntry | undefined): InstanceDraft {
  const fields = entry?.fields ?? [];
  const adminHeaders = fields.filter((field) => field.scope === "admin" && field.in === "header");
  const personFields = fields.filter(({ scope }) => scope === "principal");
  return {
    name: entry?.name ?? "",
    code: entry?.code ?? "",
    url: entry?.url ?? "",
    auth: suggestAuth(entry?.auth),
    extras: toSchemaDraft(EXTRAS_SCHEMA, {
      headers: Object.fromEntries(adminHeaders.map(({ key }) => [key, ""])),
      fields: personFields,
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
