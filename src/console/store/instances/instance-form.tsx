/** Form of an MCP instance: server, address, credential and tools. */
import type { Registry } from "../../../contract/gateway/registries.ts";
import type { CatalogEntry } from "../../../contract/store/catalog.ts";
import { call } from "../../api.ts";
import { registries } from "../../endpoints.ts";
import { AreaField, CheckField, SelectField, TextField } from "../../ui/fields/field.tsx";
import { PairsField } from "../../ui/fields/pairs-field.tsx";
import { PrivateAddressField } from "../../ui/fields/private-address-field.tsx";
import { SchemaFields } from "../../ui/fields/schema-fields.tsx";
import { findProblemsBelow, numberEntries } from "../../ui/find-problem.ts";
import { Section } from "../../ui/form.tsx";
import { ResourceForm, useResourceForm } from "../../ui/use-resource-form.tsx";
import { InstanceAuthFields } from "./instance-auth-fields.tsx";
import {
  EXTRAS_SCHEMA,
  suggestInstanceDraft,
  toInstanceDraft,
  toInstanceInput,
} from "./instance-draft.ts";

interface InstanceFormProps {
  gateway_id: string;
  entries: readonly CatalogEntry[];
  /** Undefined: a new instance. */
  registry: Registry | undefined;
  /** Code of the server that a new instance connects to, or empty. */
  code: string;
}

export function InstanceForm({ gateway_id, entries, registry, code }: InstanceFormProps) {
  const suggest = (server: string) =>
    suggestInstanceDraft(entries.find((entry) => entry.code === server));
  const form = useResourceForm({
    noun: "instance",
    loaded: registry,
    toDraft: (stored: Registry | undefined) => (stored ? toInstanceDraft(stored) : suggest(code)),
    save: (draft, stored) => {
      const body = toInstanceInput(draft);
      if (!stored) return call(registries.create, { params: { gateway_id }, body });
      const params = { gateway_id, registry_id: stored.id };
      return call(registries.update, { params, body, version: stored.version });
    },
    listPath: `/gateways/${gateway_id}/store?tab=instances`,
  });
  const { stored, draft, change, problem, error } = form;
  return (
    <ResourceForm form={form}>
      <Section title="Server">
        <SelectField
          label="Store server"
          value={draft.code}
          disabled={stored !== undefined}
          hint={
            stored
              ? "Cannot be changed. Create another instance instead."
              : "Fills in the fields below."
          }
          options={serverOptions(entries, draft.code)}
          onChange={(server) => change(suggest(server))}
          problem={problem("provider_options.code")}
        />
        <TextField
          label="Name"
          required
          value={draft.name}
          onChange={(name) => change({ name })}
          hint="Shown to people when a server has several instances."
          problem={problem("name")}
        />
        <TextField
          label="Address"
          required
          value={draft.url}
          onChange={(url) => change({ url })}
          hint="Streamable HTTP endpoint. It may contain {key} of a field below."
          problem={problem("provider_options.url")}
        />
      </Section>
      <Section title="Authentication">
        <InstanceAuthFields auth={draft.auth} onChange={(auth) => change({ auth })} error={error} />
      </Section>
      <Section title="Options">
        <CheckField
          label="Enabled"
          hint="The tools of a disabled instance are unavailable. Installs are kept."
          checked={draft.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        <PrivateAddressField
          checked={draft.allow_private}
          onChange={(allow_private) => change({ allow_private })}
        />
        <CheckField
          label="Allow all tools of the server"
          checked={draft.allTools}
          onChange={(allTools) => change({ allTools })}
        />
        {!draft.allTools && (
          <AreaField
            label="Allowed tools"
            code
            rows={4}
            hint="One per line, with the server's own names. Empty: none."
            value={draft.allowed_tools}
            onChange={(allowed_tools) => change({ allowed_tools })}
            problem={numberEntries(
              findProblemsBelow(error, "provider_options.allowed_tools"),
              "Line",
            )}
          />
        )}
        <PairsField
          label="Tool aliases"
          noun="alias"
          hint="Name of a tool on the server, and the name that clients see instead."
          pairs={draft.tool_aliases}
          onChange={(tool_aliases) => change({ tool_aliases })}
          problem={findProblemsBelow(error, "provider_options.tool_aliases")}
        />
      </Section>
      <Section title="Headers and fields">
        <SchemaFields
          schema={EXTRAS_SCHEMA}
          draft={draft.extras}
          onChange={(extras) => change({ extras })}
          error={error}
          at="provider_options"
        />
      </Section>
    </ResourceForm>
  );
}

function serverOptions(entries: readonly CatalogEntry[], current: string) {
  const options = entries.map(({ code, name }) => [code, `${name} (${code})`] as const);
  const isUnknown = current && !entries.some(({ code }) => code === current);
  return [
    ["", "None: only consumers can use it"] as const,
    ...(isUnknown ? [[current, `${current} (not in the catalog)`] as const] : []),
    ...options,
  ];
}
