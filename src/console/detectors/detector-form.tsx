/** Form of a detector. Its setting fields come from the schema of its kind. */
import type { z } from "zod";
import type { Registry } from "../../contract/gateway/registries.ts";
import type { DetectorResource, listDetectorCatalog } from "../../contract/guard/detectors.ts";
import { call } from "../api.ts";
import { detectors, registries } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { useSession } from "../session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, SelectField, TextField } from "../ui/fields/field.tsx";
import { toSchemaDraft, toValues } from "../ui/fields/schema-draft.ts";
import type { Choices } from "../ui/fields/schema-fields.tsx";
import { Section } from "../ui/form.tsx";
import { ResourceForm, useResourceForm } from "../ui/use-resource-form.tsx";
import { useLoad } from "../use-load.ts";
import { DetectorSettings } from "./detector-settings.tsx";

export type DetectorKind = z.output<typeof listDetectorCatalog.reply>["items"][number];

interface DetectorFormProps {
  catalog: readonly DetectorKind[];
  /** Undefined: a new detector. */
  detector: DetectorResource | undefined;
}

export function DetectorForm({ catalog, detector }: DetectorFormProps) {
  const form = useDetectorForm(catalog, detector, { listPath: "/detectors" });
  const { kind, nameFields, settingsFields } = useDetectorFields(catalog, form);
  return (
    <ResourceForm form={form}>
      <Section title="Detector">
        {nameFields}
        <CheckField
          label="Enabled"
          hint="Rules that use a disabled detector are skipped."
          checked={form.draft.enabled}
          onChange={(enabled) => form.change({ enabled })}
        />
      </Section>
      <Section title="Settings" about={describeKind(kind)}>
        {settingsFields}
      </Section>
    </ResourceForm>
  );
}

interface NewDetectorDialogProps {
  /** Kinds to select from. */
  catalog: readonly DetectorKind[];
  onCreated: (detector: DetectorResource) => void;
  onClose: () => void;
}

/** Creates a detector without leaving the page. */
export function NewDetectorDialog({ catalog, onCreated, onClose }: NewDetectorDialogProps) {
  const form = useDetectorForm(catalog, undefined, { onClose, onCreated });
  const { nameFields, settingsFields } = useDetectorFields(catalog, form);
  return (
    <Dialog title="New detector" onClose={onClose} sheet>
      <ResourceForm form={form}>
        {nameFields}
        {settingsFields}
      </ResourceForm>
    </Dialog>
  );
}

type DetectorFormState = ReturnType<typeof useDetectorForm>;

function useDetectorForm(
  catalog: readonly DetectorKind[],
  detector: DetectorResource | undefined,
  {
    onCreated,
    ...target
  }: {
    listPath?: string;
    onClose?: () => void;
    onCreated?: (detector: DetectorResource) => void;
  },
) {
  return useResourceForm({
    noun: "detector",
    loaded: detector,
    toDraft: (stored: DetectorResource | undefined) => toDraft(catalog, stored),
    save: async (draft, stored) => {
      const { settings_schema } = findKind(catalog, draft.kind);
      const body = { ...draft, settings: toValues(settings_schema, draft.settings, "settings") };
      if (stored) {
        const params = { detector_id: stored.id };
        return await call(detectors.update, { params, body, version: stored.version });
      }
      const created = await call(detectors.create, { params: {}, body });
      onCreated?.(created);
      return created;
    },
    ...target,
  });
}

/** Returns the fields that the page and the dialog share. */
function useDetectorFields(catalog: readonly DetectorKind[], form: DetectorFormState) {
  const { gateway } = useSession();
  const { stored, draft, change, problem } = form;
  const kind = findKind(catalog, draft.kind);
  const usesRegistry = "registry_id" in draft.settings;
  const upstreams = useLoad(`${gateway?.id} ${usesRegistry}`, async (read) =>
    usesRegistry && gateway
      ? await readAllPages((query) =>
          read(registries.list, { params: { gateway_id: gateway.id }, query }),
        )
      : [],
  );
  const changeKind = (name: string) => {
    const next = findKind(catalog, name);
    // A name that the user has not changed follows the kind.
    const rename = draft.name === kind.title ? { name: next.title } : {};
    change({ ...newDraft(next), ...rename });
  };
  return {
    kind,
    nameFields: (
      <>
        <SelectField
          label="Kind"
          value={draft.kind}
          disabled={stored !== undefined}
          hint={kind.summary}
          options={catalog.map(({ kind: name, title }) => [name, title])}
          onChange={changeKind}
          problem={problem("kind")}
        />
        <TextField
          label="Name"
          required
          value={draft.name}
          onChange={(name) => change({ name })}
          problem={problem("name")}
        />
      </>
    ),
    settingsFields: (
      <>
        <DetectorSettings
          kind={kind.kind}
          schema={kind.settings_schema}
          draft={draft.settings}
          onChange={(settings) => change({ settings })}
          error={form.error}
          at="settings"
          choices={
            usesRegistry && upstreams.state === "ready"
              ? { registry_id: registryChoices(upstreams.value, draft.settings.registry_id) }
              : {}
          }
        />
        {Object.keys(draft.settings).length === 0 && (
          <p className="muted">This kind has no settings.</p>
        )}
      </>
    ),
  };
}

function findKind(catalog: readonly DetectorKind[], name: string): DetectorKind {
  const kind = catalog.find((entry) => entry.kind === name) ?? catalog[0];
  if (!kind) throw new Error("The server returned no detector kinds.");
  return kind;
}

const newDraft = ({ kind, settings_schema }: DetectorKind) => ({
  kind,
  settings: toSchemaDraft(settings_schema, {}),
});

function toDraft(catalog: readonly DetectorKind[], detector: DetectorResource | undefined) {
  const { kind, title, settings_schema } = findKind(catalog, detector?.kind ?? "");
  return {
    name: detector?.name ?? title,
    enabled: detector?.enabled ?? true,
    kind,
    settings: toSchemaDraft(settings_schema, detector?.settings ?? {}),
  };
}

/** Offers chat registries of the selected gateway, and a stored one of another gateway. */
function registryChoices(upstreams: readonly Registry[], selected: unknown): Choices[string] {
  const options = upstreams
    .filter(({ capabilities }) => capabilities.includes("chat"))
    .map(({ id, name, provider }) => [id, `${name} (${provider})`] as const);
  const isElsewhere =
    typeof selected === "string" && selected && !options.some(([id]) => id === selected);
  return isElsewhere ? [[selected, selected], ...options] : options;
}

function describeKind({ reads, masks }: DetectorKind): string {
  const list = (names: readonly string[]) =>
    names.map((name) => name.replaceAll("_", " ")).join(", ") || "nothing";
  const masking = masks ? "Findings can be masked." : "Findings cannot be masked.";
  return `Inspects input: ${list(reads.input)}; output: ${list(reads.output)}. ${masking}`;
}
