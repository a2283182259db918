/** Registries of a consumer: order, weight and models. */
import { useState } from "react";
import type { AppError } from "../../contract/errors.ts";
import type { AttachedRegistry } from "../../contract/gateway/consumers.ts";
import type { Registry } from "../../contract/gateway/registries.ts";
import { Capabilities } from "../ui/badge.tsx";
import { SelectField, TextField } from "../ui/fields/field.tsx";
import { findProblemsBelow, numberEntries } from "../ui/find-problem.ts";
import { moveItem, OrderButtons } from "../ui/order-buttons.tsx";
import { splitNames } from "../ui/text.ts";
import { formatModelMap, parseModelMap } from "./model-map.ts";

interface AttachedRegistriesProps {
  upstreams: readonly Registry[];
  attached: readonly AttachedRegistry[];
  onChange: (attached: readonly AttachedRegistry[]) => void;
  error: AppError | undefined;
}

export function AttachedRegistries(props: AttachedRegistriesProps) {
  const { upstreams, attached, onChange, error } = props;
  const available = upstreams.filter(({ id }) => attached.every((entry) => entry.id !== id));
  const replace = (at: number, entry: AttachedRegistry) =>
    onChange(attached.map((old, index) => (index === at ? entry : old)));
  return (
    <>
      <ol className="attached">
        {attached.map((entry, index) => (
          <Entry
            key={entry.id}
            entry={entry}
            registry={upstreams.find(({ id }) => id === entry.id)}
            position={{ index, count: attached.length }}
            onChange={(next) => replace(index, next)}
            onMove={(by) => onChange(moveItem(attached, index, by))}
            onRemove={() => onChange(attached.filter((_, at) => at !== index))}
            problem={(member) => findProblemsBelow(error, `registries[${index}].${member}`)}
          />
        ))}
      </ol>
      {available.length > 0 && (
        <SelectField
          label="Attach a registry"
          value=""
          options={[
            ["", "Select…"],
            ...available.map(({ id, name, provider }) => [id, `${name} (${provider})`] as const),
          ]}
          onChange={(id) => {
            if (id) onChange([...attached, { id, weight: 1, models: {} }]);
          }}
        />
      )}
      {upstreams.length === 0 && <p className="muted">The gateway has no registries yet.</p>}
    </>
  );
}

interface EntryProps {
  entry: AttachedRegistry;
  registry: Registry | undefined;
  position: { index: number; count: number };
  onChange: (entry: AttachedRegistry) => void;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
  /** Returns the server's message about a member and everything below it. */
  problem: (member: string) => string | undefined;
}

function Entry(props: EntryProps) {
  const { entry, registry, position, onChange, onMove, onRemove, problem } = props;
  const name = registry?.name ?? entry.id;
  const { allowed, default: fallback, map } = entry.models;
  const [allowedText, setAllowedText] = useState((allowed ?? []).join(", "));
  const [mapText, setMapText] = useState(formatModelMap(map));
  const setModels = (change: Partial<AttachedRegistry["models"]>) => {
    const models = { allowed, default: fallback, map, ...change };
    onChange({
      ...entry,
      models: {
        ...(models.allowed?.length ? { allowed: models.allowed } : {}),
        ...(models.default ? { default: models.default } : {}),
        ...(models.map ? { map: models.map } : {}),
      },
    });
  };
  return (
    <li>
      <div className="attached-head">
        <strong>{name}</strong>
        <code>{registry?.provider}</code>
        <OrderButtons {...{ name, position, onMove, onRemove }} removeLabel="Detach" />
      </div>
      {registry && <Capabilities of={registry.capabilities} />}
      <fieldset className="plain columns attached-fields">
        <legend className="visually-hidden">{name}</legend>
        <TextField
          label="Weight"
          type="number"
          min={1}
          max={100}
          required
          value={String(entry.weight)}
          onChange={(weight) => onChange({ ...entry, weight: Number(weight) })}
          problem={problem("weight")}
        />
        <TextField
          label="Allowed models"
          placeholder="all models"
          hint="Separated by commas. * matches any characters."
          value={allowedText}
          onChange={(text) => {
            setAllowedText(text);
            setModels({ allowed: splitNames(text) });
          }}
          problem={numberEntries(problem("models.allowed"), "Model")}
        />
        <TextField
          label="Default model"
          placeholder="none"
          hint="Used when a request has no model."
          value={fallback ?? ""}
          onChange={(text) => setModels({ default: text })}
          problem={problem("models.default")}
        />
        <TextField
          label="Names at the upstream"
          placeholder="as sent"
          hint="Such as gpt-4o = my-deployment, claude-* = anthropic/claude-*."
          value={mapText}
          onChange={(text) => {
            setMapText(text);
            setModels({ map: parseModelMap(text) });
          }}
          problem={problem("models.map")}
        />
      </fieldset>
    </li>
  );
}
