/** The form of a registry: its fields come from the kind's own schema. */
import { useState } from "react";
import type { z } from "zod";
import type {
  Capability,
  Kind,
  listRegistryKinds,
  Registry,
  RegistryInput,
} from "../../contract/registries.ts";
import { call } from "../api.ts";
import { registries } from "../endpoints.ts";
import { navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { Form, findProblem, Section } from "../ui/form.tsx";
import { PrivateAddressField } from "../ui/private-address-field.tsx";
import { type SchemaDraft, toDraft, toValues } from "../ui/schema-draft.ts";
import { SchemaFields } from "../ui/schema-fields.tsx";
import { useAction } from "../use-load.ts";
import { ConnectionTest } from "./connection-test.tsx";

type KindEntry = z.output<typeof listRegistryKinds.reply>["items"][number];

interface RegistryFormProps {
  gateway_id: string;
  kinds: readonly KindEntry[];
  /** Undefined: it is not made yet. */
  registry: Registry | undefined;
  onStale: () => void;
}

/** What is typed so far. The key is empty until a new one is typed. */
interface Typed {
  name: string;
  provider: Kind;
  options: SchemaDraft;
  api_key: string;
  keyless: boolean;
  capabilities: readonly Capability[];
  enabled: boolean;
  allow_private: boolean;
}

export function RegistryForm({ gateway_id, kinds, registry, onStale }: RegistryFormProps) {
  const { may, announce } = useSession();
  const [opened, setOpened] = useState(registry);
  const [typed, setTyped] = useState(() => typedOf(kinds, registry));
  const [touched, setTouched] = useState(false);
  const kind = kindOf(kinds, typed.provider);
  const change = (changes: Partial<Typed>) => {
    setTyped({ ...typed, ...changes });
    setTouched(true);
  };
  const save = useAction(async () => {
    if (!opened) {
      const body = inputOf(kind, typed, undefined);
      const made = await call(registries.create, { params: { gateway_id }, body });
      navigate(`/gateways/${gateway_id}/registries`);
      announce(`Registry ${made.name} was created.`);
      return;
    }
    const params = { gateway_id, registry_id: opened.id };
    const body = inputOf(kind, typed, opened);
    const saved = await call(registries.update, { params, body, version: opened.version });
    setOpened(saved);
    setTyped(typedOf(kinds, saved));
    setTouched(false);
    announce("Saved.");
  });
  const keeps = opened?.auth && !typed.api_key;
  return (
    <Form
      action={save}
      save={opened ? "Save" : "Create registry"}
      locked={!may("write")}
      onStale={onStale}
      {...(opened ? {} : { onCancel: () => navigate(`/gateways/${gateway_id}/registries`) })}
    >
      <Section title="Upstream">
        <SelectField
          label="Kind"
          value={typed.provider}
          disabled={opened !== undefined}
          hint={opened ? "Cannot be changed: create another registry." : ""}
          options={kinds.map((entry) => [entry.kind, entry.kind])}
          onChange={(provider) => setTyped({ ...typed, ...freshFor(kindOf(kinds, provider)) })}
        />
        <TextField
          label="Name"
          required
          value={typed.name}
          onChange={(name) => change({ name })}
          problem={findProblem(save.error, "name")}
        />
        <SchemaFields
          schema={kind.options_schema}
          draft={typed.options}
          onChange={(options) => change({ options })}
          error={save.error}
          at="provider_options"
        />
        {/* The built-in demo refuses a credential. */}
        {kind.kind !== "demo" && (
          <TextField
            label={kind.needs_key ? "API key" : "API key (optional)"}
            type="password"
            autoComplete="off"
            required={kind.needs_key && !opened?.auth}
            disabled={typed.keyless}
            value={typed.api_key}
            onChange={(api_key) => change({ api_key })}
            problem={findProblem(save.error, "auth.api_key") ?? findProblem(save.error, "auth")}
            placeholder={
              opened?.auth?.type === "api_key"
                ? `Leave empty to keep ${opened.auth.api_key}`
                : undefined
            }
            hint="Stored encrypted and never shown again."
          />
        )}
        {opened?.auth && !kind.needs_key && (
          <CheckField
            label="Remove the stored key"
            checked={typed.keyless}
            onChange={(keyless) => change({ keyless, api_key: "" })}
          />
        )}
      </Section>
      <Section title="Use">
        <CheckField
          label="Enabled"
          hint="A disabled registry gets no requests."
          checked={typed.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        <PrivateAddressField
          checked={typed.allow_private}
          onChange={(allow_private) => change({ allow_private })}
        />
        <fieldset className="field choices">
          <legend>Capabilities</legend>
          {kind.capabilities.map((name) => (
            <CheckField
              key={name}
              label={name.replaceAll("_", " ")}
              checked={typed.capabilities.includes(name)}
              onChange={(on) => change({ capabilities: toggled(kind, typed, name, on) })}
            />
          ))}
        </fieldset>
      </Section>
      {may("write") && (
        <ConnectionTest
          gateway_id={gateway_id}
          tried={opened && !touched ? { id: opened.id } : inputOf(kind, typed, undefined)}
          blocked={
            touched && keeps
              ? "Save first, or type the key again: the stored one is not sent to an unsaved address."
              : undefined
          }
        />
      )}
    </Form>
  );
}

function kindOf(kinds: readonly KindEntry[], name: string): KindEntry {
  const kind = kinds.find((entry) => entry.kind === name) ?? kinds[0];
  if (!kind) throw new Error("The server names no kind of registry.");
  return kind;
}

const freshFor = (kind: KindEntry) => ({
  provider: kind.kind,
  options: toDraft(kind.options_schema, {}),
  capabilities: kind.capabilities,
  api_key: "",
});

function typedOf(kinds: readonly KindEntry[], registry: Registry | undefined): Typed {
  const kind = kindOf(kinds, registry?.provider ?? "");
  return {
    ...freshFor(kind),
    name: registry?.name ?? "",
    options: toDraft(kind.options_schema, registry?.provider_options ?? {}),
    keyless: false,
    capabilities: registry?.capabilities ?? kind.capabilities,
    enabled: registry?.enabled ?? true,
    allow_private: registry?.allow_private ?? false,
  };
}

/** A stored key is left out, so it stays; a draft has none to keep. */
function inputOf(
  kind: KindEntry,
  typed: Typed,
  opened: Registry | undefined,
): Omit<RegistryInput, "auth" | "type"> & Partial<Pick<RegistryInput, "auth">> {
  const { name, provider, options, api_key, keyless, enabled, allow_private } = typed;
  const all = typed.capabilities.length === kind.capabilities.length;
  const auth = api_key ? ({ type: "api_key", api_key } as const) : null;
  return {
    name,
    provider,
    provider_options: toValues(kind.options_schema, options, "provider_options"),
    ...(auth || keyless || !opened?.auth ? { auth } : {}),
    capabilities: all ? null : [...typed.capabilities],
    enabled,
    allow_private,
  };
}

/** In the kind's own order. */
function toggled(kind: KindEntry, typed: Typed, name: Capability, on: boolean): Capability[] {
  return kind.capabilities.filter((one) => (one === name ? on : typed.capabilities.includes(one)));
}
