/** Form of a registry. Its option fields come from the schema of the provider. */
import type { z } from "zod";
import type {
  Capability,
  Kind,
  listRegistryKinds,
  Registry,
  RegistryInput,
} from "../../contract/gateway/registries.ts";
import { isMasked } from "../../lib/json/secret-paths.ts";
import { call } from "../api.ts";
import { registries } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { CheckField, SelectField, TextField } from "../ui/fields/field.tsx";
import { PrivateAddressField } from "../ui/fields/private-address-field.tsx";
import {
  type Schema,
  type SchemaDraft,
  toSchemaDraft,
  toValues,
} from "../ui/fields/schema-draft.ts";
import { SchemaFields } from "../ui/fields/schema-fields.tsx";
import { Section } from "../ui/form.tsx";
import { ResourceForm, useResourceForm } from "../ui/use-resource-form.tsx";
import { ConnectionTest } from "./connection-test.tsx";
import {
  type RegistryAuthDraft,
  RegistryAuthFields,
  toAuthDraft,
  toAuthInput,
} from "./registry-auth-fields.tsx";

type KindEntry = z.output<typeof listRegistryKinds.reply>["items"][number];

interface RegistryFormProps {
  gateway_id: string;
  kinds: readonly KindEntry[];
  /** Undefined: a new registry. */
  registry: Registry | undefined;
}

interface RegistryDraft {
  name: string;
  provider: Kind;
  options: SchemaDraft;
  auth: RegistryAuthDraft;
  /** Empty: the stored key is kept. */
  api_key: string;
  removeKey: boolean;
  capabilities: readonly Capability[];
  enabled: boolean;
  allow_private: boolean;
}

export function RegistryForm({ gateway_id, kinds, registry }: RegistryFormProps) {
  const { may } = useSession();
  const form = useResourceForm({
    noun: "registry",
    loaded: registry,
    toDraft: (stored: Registry | undefined) => toDraft(kinds, stored),
    save: (draft, stored) => {
      const body = toInput(findKind(kinds, draft.provider), draft, stored);
      if (!stored) return call(registries.create, { params: { gateway_id }, body });
      const params = { gateway_id, registry_id: stored.id };
      return call(registries.update, { params, body, version: stored.version });
    },
    listPath: `/gateways/${gateway_id}/registries`,
  });
  const { stored, draft, change, problem } = form;
  const kind = findKind(kinds, draft.provider);
  const keepsKey = stored?.auth && keepsSecret(draft);
  const optionFields = {
    draft: draft.options,
    onChange: (options: SchemaDraft) => change({ options }),
    error: form.error,
    at: "provider_options",
  };
  return (
    <ResourceForm form={form}>
      <Section title="Upstream">
        <SelectField
          label="Provider"
          value={draft.provider}
          disabled={stored !== undefined}
          hint={stored ? "Cannot be changed. Create another registry instead." : ""}
          options={kinds.map((entry) => [entry.kind, entry.kind])}
          onChange={(provider) => change(newDraft(findKind(kinds, provider)))}
        />
        <TextField
          label="Name"
          required
          value={draft.name}
          onChange={(name) => change({ name })}
          problem={problem("name")}
        />
        <SchemaFields
          schema={selectOptions(kind, (name) => !EGRESS_OPTIONS.has(name))}
          {...optionFields}
        />
        <RegistryAuthFields
          types={kind.auth_types}
          auth={draft.auth}
          onChange={(auth) => change({ auth })}
          error={form.error}
        />
        {draft.auth.type === "api_key" && (
          <TextField
            label={kind.needs_key ? "API key" : "API key (optional)"}
            type="password"
            autoComplete="off"
            required={kind.needs_key && stored?.auth?.type !== "api_key"}
            disabled={draft.removeKey}
            value={draft.api_key}
            onChange={(api_key) => change({ api_key })}
            problem={problem("auth.api_key") ?? problem("auth")}
            placeholder={
              stored?.auth?.type === "api_key"
                ? `Leave empty to keep ${stored.auth.api_key}`
                : undefined
            }
            hint="Stored encrypted and never shown again."
          />
        )}
        {stored?.auth && !kind.needs_key && (
          <CheckField
            label="Remove the stored key"
            checked={draft.removeKey}
            onChange={(removeKey) => change({ removeKey, api_key: "" })}
          />
        )}
      </Section>
      <Section title="Options">
        <CheckField
          label="Enabled"
          hint="A disabled registry gets no requests."
          checked={draft.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        <SchemaFields
          schema={selectOptions(kind, (name) => EGRESS_OPTIONS.has(name))}
          {...optionFields}
        />
        <PrivateAddressField
          checked={draft.allow_private}
          onChange={(allow_private) => change({ allow_private })}
        />
        <fieldset className="field choices">
          <legend>Capabilities</legend>
          {kind.capabilities.map((name) => (
            <CheckField
              key={name}
              label={name.replaceAll("_", " ")}
              checked={draft.capabilities.includes(name)}
              onChange={(on) => change({ capabilities: toggle(kind, draft, name, on) })}
            />
          ))}
        </fieldset>
      </Section>
      {may("write") && (
        <ConnectionTest
          gateway_id={gateway_id}
          input={stored && !form.isDirty ? { id: stored.id } : toInput(kind, draft, undefined)}
          blocked={
            form.isDirty && keepsKey
              ? "Save first, or enter the key again: the stored key is not sent to an unsaved address."
              : undefined
          }
        />
      )}
    </ResourceForm>
  );
}

function findKind(kinds: readonly KindEntry[], name: string): KindEntry {
  const kind = kinds.find((entry) => entry.kind === name) ?? kinds[0];
  if (!kind) throw new Error("The server returned no registry kinds.");
  return kind;
}

/** Options that few registries need; their fields are in the last section. */
const EGRESS_OPTIONS: ReadonlySet<string> = new Set(["ca_bundle", "proxy_url"]);

function selectOptions({ options_schema }: KindEntry, isShown: (name: string) => boolean): Schema {
  const schema: Schema = options_schema;
  const shown = Object.entries(schema.properties ?? {}).filter(([name]) => isShown(name));
  return { ...schema, properties: Object.fromEntries(shown) };
}

const newDraft = (kind: KindEntry) => ({
  provider: kind.kind,
  options: toSchemaDraft(kind.options_schema, {}),
  auth: toAuthDraft(kind.auth_types, null),
  capabilities: kind.capabilities,
  api_key: "",
});

function toDraft(kinds: readonly KindEntry[], registry: Registry | undefined): RegistryDraft {
  const kind = findKind(kinds, registry?.provider ?? "");
  return {
    ...newDraft(kind),
    name: registry?.name ?? "",
    options: toSchemaDraft(kind.options_schema, registry?.provider_options ?? {}),
    auth: toAuthDraft(kind.auth_types, registry?.auth ?? null),
    removeKey: false,
    capabilities: registry?.capabilities ?? kind.capabilities,
    enabled: registry?.enabled ?? true,
    allow_private: registry?.allow_private ?? false,
  };
}

/** Omits `auth` to keep a stored key. */
function toInput(
  kind: KindEntry,
  draft: RegistryDraft,
  stored: Registry | undefined,
): Omit<RegistryInput, "auth" | "type"> & Partial<Pick<RegistryInput, "auth">> {
  const { name, provider, options, api_key, removeKey, enabled, allow_private } = draft;
  const all = draft.capabilities.length === kind.capabilities.length;
  const auth = toAuthInput(kind.auth_types, draft.auth, api_key);
  return {
    name,
    provider,
    provider_options: toValues(kind.options_schema, options, "provider_options"),
    ...(auth || removeKey || !stored?.auth ? { auth } : {}),
    capabilities: all ? null : [...draft.capabilities],
    enabled,
    allow_private,
  };
}

const keepsSecret = ({ auth, api_key }: RegistryDraft): boolean =>
  auth.type === "api_key"
    ? api_key === ""
    : Object.values(auth.members).some((text) => typeof text === "string" && isMasked(text));

/** Keeps the provider's order. */
function toggle(kind: KindEntry, draft: RegistryDraft, name: Capability, on: boolean) {
  return kind.capabilities.filter((other) =>
    other === name ? on : draft.capabilities.includes(other),
  );
}
