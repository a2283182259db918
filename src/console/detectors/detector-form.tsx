/** The form of a detector: its fields come from the schema of its kind. */
import { useState } from "react";
import type { z } from "zod";
import type { DetectorResource, listDetectorCatalog } from "../../contract/detectors.ts";
import type { Registry } from "../../contract/registries.ts";
import { call } from "../api.ts";
import { detectors, registries } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { Form, findProblem, Section } from "../ui/form.tsx";
import { toDraft, toValues } from "../ui/schema-draft.ts";
import { type Choices, SchemaFields } from "../ui/schema-fields.tsx";
import { useAction, useLoad } from "../use-load.ts";

export type DetectorKind = z.output<typeof listDetectorCatalog.reply>["items"][number];

interface DetectorFormProps {
  catalog: readonly DetectorKind[];
  /** Undefined: it is not made yet. */
  detector: DetectorResource | undefined;
  onStale: () => void;
}

export function DetectorForm({ catalog, detector, onStale }: DetectorFormProps) {
  const { may, announce, gateway } = useSession();
  const [opened, setOpened] = useState(detector);
  const [typed, setTyped] = useState(() => typedOf(catalog, detector));
  const entry = findKind(catalog, typed.kind);
  const asks = "registry_id" in typed.settings;
  const upstreams = useLoad(`${gateway?.id} ${asks}`, async (read) =>
    asks && gateway
      ? await readAllPages((query) =>
          read(registries.list, { params: { gateway_id: gateway.id }, query }),
        )
      : [],
  );
  const save = useAction(async () => {
    const { name, kind, enabled } = typed;
    const settings = toValues(entry.settings_schema, typed.settings, "settings");
    const body = { name, kind, enabled, settings };
    if (!opened) {
      const made = await call(detectors.create, { params: {}, body });
      navigate("/detectors");
      announce(`Detector ${made.name} was created.`);
      return;
    }
    const params = { detector_id: opened.id };
    const saved = await call(detectors.update, { params, body, version: opened.version });
    setOpened(saved);
    setTyped(typedOf(catalog, saved));
    announce("Saved.");
  });
  return (
    <Form
      action={save}
      save={opened ? "Save" : "Create detector"}
      locked={!may("write")}
      onStale={onStale}
      {...(opened ? {} : { onCancel: () => navigate("/detectors") })}
    >
      <Section title="Detector">
        <SelectField
          label="Kind"
          value={typed.kind}
          disabled={opened !== undefined}
          hint={entry.summary}
          options={catalog.map(({ kind, title }) => [kind, title])}
          onChange={(kind) => setTyped({ ...typed, ...freshFor(findKind(catalog, kind)) })}
          problem={findProblem(save.error, "kind")}
        />
        <TextField
          label="Name"
          required
          value={typed.name}
          onChange={(name) => setTyped({ ...typed, name })}
          problem={findProblem(save.error, "name")}
        />
        <CheckField
          label="Enabled"
          hint="Rules that use a disabled detector are skipped."
          checked={typed.enabled}
          onChange={(enabled) => setTyped({ ...typed, enabled })}
        />
      </Section>
      <Section title="Settings" about={readsText(entry)}>
        <SchemaFields
          schema={entry.settings_schema}
          draft={typed.settings}
          onChange={(settings) => setTyped({ ...typed, settings })}
          error={save.error}
          at="settings"
          choices={
            asks && upstreams.state === "ready"
              ? { registry_id: registryChoices(upstreams.value, typed.settings.registry_id) }
              : {}
          }
        />
        {Object.keys(typed.settings).length === 0 && <p className="muted">This kind has none.</p>}
      </Section>
    </Form>
  );
}

export function findKind(catalog: readonly DetectorKind[], kind: string): DetectorKind {
  const entry = catalog.find((one) => one.kind === kind) ?? catalog[0];
  if (!entry) throw new Error("The server names no kind of detector.");
  return entry;
}

const freshFor = (entry: DetectorKind) => ({
  kind: entry.kind,
  settings: toDraft(entry.settings_schema, {}),
});

function typedOf(catalog: readonly DetectorKind[], detector: DetectorResource | undefined) {
  const entry = findKind(catalog, detector?.kind ?? "");
  return {
    name: detector?.name ?? "",
    enabled: detector?.enabled ?? true,
    kind: entry.kind,
    settings: toDraft(entry.settings_schema, detector?.settings ?? {}),
  };
}

/** Of the gateway that is chosen above; a stored one of another gateway stays. */
function registryChoices(found: readonly Registry[], chosen: unknown): Choices[string] {
  const able = found.filter(({ capabilities }) => capabilities.includes("chat"));
  const options = able.map(({ id, name, provider }) => [id, `${name} (${provider})`] as const);
  const strange = typeof chosen === "string" && chosen && !options.some(([id]) => id === chosen);
  return strange ? [[chosen, chosen], ...options] : options;
}

/** Input: user, tool arguments. Output: nothing. */
function readsText({ reads, masks }: DetectorKind): string {
  const list = (names: readonly string[]) =>
    names.map((name) => name.replaceAll("_", " ")).join(", ") || "nothing";
  const may = masks ? "can be masked" : "cannot be masked";
  return `Looks at, in input: ${list(reads.input)}; in output: ${list(reads.output)}. What it finds ${may}.`;
}
