/** The form of an MCP instance: which server, where, how the gateway signs in, which tools. */
import { useState } from "react";
import type { Registry } from "../../../contract/registries.ts";
import type { CatalogEntry } from "../../../contract/store-catalog.ts";
import { call } from "../../api.ts";
import { registries } from "../../endpoints.ts";
import { navigate } from "../../router.tsx";
import { useSession } from "../../session.ts";
import { AreaField, CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { Form, findProblem, findProblemsBelow, Section } from "../../ui/form.tsx";
import { PairsField } from "../../ui/pairs-field.tsx";
import { PrivateAddressField } from "../../ui/private-address-field.tsx";
import { SchemaFields } from "../../ui/schema-fields.tsx";
import { useAction } from "../../use-load.ts";
import { InstanceAuthFields } from "./instance-auth-fields.tsx";
import {
  EXTRAS_SCHEMA,
  type InstanceDraft,
  suggestInstanceDraft,
  toInstanceDraft,
  toInstanceInput,
} from "./instance-draft.ts";

interface InstanceFormProps {
  gateway_id: string;
  entries: readonly CatalogEntry[];
  /** Undefined: it is not made yet. */
  registry: Registry | undefined;
  /** The server that a new one is of, when that is known. */
  code: string;
  onStale: () => void;
}

export function InstanceForm({ gateway_id, entries, registry, code, onStale }: InstanceFormProps) {
  const { may, announce } = useSession();
  const [opened, setOpened] = useState(registry);
  const suggested = (wanted: string) =>
    suggestInstanceDraft(entries.find((one) => one.code === wanted));
  const [typed, setTyped] = useState(() =>
    registry ? toInstanceDraft(registry) : suggested(code),
  );
  const change = (changes: Partial<InstanceDraft>) => setTyped({ ...typed, ...changes });
  const list = `/gateways/${gateway_id}/store?tab=instances`;
  const save = useAction(async () => {
    const body = toInstanceInput(typed);
    if (!opened) {
      const made = await call(registries.create, { params: { gateway_id }, body });
      navigate(list);
      announce(`Instance ${made.name} was created.`);
      return;
    }
    const params = { gateway_id, registry_id: opened.id };
    const saved = await call(registries.update, { params, body, version: opened.version });
    setOpened(saved);
    setTyped(toInstanceDraft(saved));
    announce("Saved.");
  });
  const { error } = save;
  return (
    <Form
      action={save}
      save={opened ? "Save" : "Create instance"}
      locked={!may("write")}
      onStale={onStale}
      {...(opened ? {} : { onCancel: () => navigate(list) })}
    >
      <Section title="Server">
        <SelectField
          label="Server of the Store"
          value={typed.code}
          disabled={opened !== undefined}
          hint={opened ? "Cannot be changed: create another instance." : "Fills in what it needs."}
          options={serverOptions(entries, typed.code)}
          onChange={(wanted) => setTyped(suggested(wanted))}
          problem={findProblem(error, "provider_options.code")}
        />
        <TextField
          label="Name"
          required
          value={typed.name}
          onChange={(name) => change({ name })}
          hint="People choose by it where a server has several instances."
          problem={findProblem(error, "name")}
        />
        <TextField
          label="Address"
          required
          value={typed.url}
          onChange={(url) => change({ url })}
          hint="Where it answers to streamable HTTP. It may hold {key} of a field below."
          problem={findProblem(error, "provider_options.url")}
        />
      </Section>
      <Section title="Sign-in">
        <InstanceAuthFields auth={typed.auth} onChange={(auth) => change({ auth })} error={error} />
      </Section>
      <Section title="Use">
        <CheckField
          label="Enabled"
          hint="The tools of a disabled instance are gone for everybody; installs stay."
          checked={typed.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        <PrivateAddressField
          checked={typed.allow_private}
          onChange={(allow_private) => change({ allow_private })}
        />
        <CheckField
          label="Every tool of the server may be used"
          checked={typed.allTools}
          onChange={(every_tool) => change({ allTools: every_tool })}
        />
        {!typed.allTools && (
          <AreaField
            label="Allowed tools"
            code
            rows={4}
            hint="One in each line, named as the server names them. Without a line, none."
            value={typed.allowed_tools}
            onChange={(allowed_tools) => change({ allowed_tools })}
            problem={findProblemsBelow(error, "provider_options.allowed_tools")}
          />
        )}
        <PairsField
          label="Tool aliases"
          one="alias"
          hint="A tool's name at the server, and the one that clients see instead."
          pairs={typed.tool_aliases}
          onChange={(tool_aliases) => change({ tool_aliases })}
          problem={findProblemsBelow(error, "provider_options.tool_aliases")}
        />
      </Section>
      <Section title="Added to each call">
        <SchemaFields
          schema={EXTRAS_SCHEMA}
          draft={typed.extras}
          onChange={(more) => change({ extras: more })}
          error={error}
          at="provider_options"
        />
      </Section>
    </Form>
  );
}

function serverOptions(entries: readonly CatalogEntry[], current: string) {
  const known = entries.map(({ code, name }) => [code, `${name} (${code})`] as const);
  const gone = current && !entries.some(({ code }) => code === current);
  return [
    ["", "None: only consumers reach it"] as const,
    ...(gone ? [[current, `${current} (not in the catalog)`] as const] : []),
    ...known,
  ];
}
