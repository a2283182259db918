/** The form of the rate_limiter entries of a gateway. */
import { useState } from "react";
import type { z } from "zod";
import type { Gateway, listPlugins, PluginEntry } from "../../contract/gateways.ts";
import { call } from "../api.ts";
import { gateways } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { Form, findProblem, Section } from "../ui/form.tsx";
import { Ready } from "../ui/page.tsx";
import { toDraft, toValues } from "../ui/schema-draft.ts";
import { SchemaFields } from "../ui/schema-fields.tsx";
import { useAction, useLoad } from "../use-load.ts";
import { describeEntry, describeLimits, RATE_LIMITER } from "./describe-limits.ts";

interface RateLimitsProps {
  gateway: Gateway;
  onStale: () => void;
}

export function RateLimitsForm(props: RateLimitsProps) {
  const loaded = useLoad("plugins", (read) => read(gateways.plugins, { params: {} }));
  return (
    <Ready of={loaded} what="The plugins">
      {({ items }) => <PluginForm {...props} plugin={limiterIn(items)} />}
    </Ready>
  );
}

type Plugin = z.output<typeof listPlugins.reply>["items"][number];

function limiterIn(plugins: readonly Plugin[]): Plugin {
  const plugin = plugins.find(({ name }) => name === RATE_LIMITER);
  if (!plugin) throw new Error("The server has no rate limiter.");
  return plugin;
}

function PluginForm({ gateway, onStale, plugin }: RateLimitsProps & { plugin: Plugin }) {
  const { may, announce, confirm } = useSession();
  // As it was when the form was filled: this is the version that a save changes.
  const [opened, setOpened] = useState(gateway);
  const [place, setPlace] = useState(() => firstPlace(gateway));
  const [typed, setTyped] = useState(() => typedOf(plugin, gateway, place));
  const { required_plugins } = opened;
  const saved = required_plugins[place];
  const at = `required_plugins[${place}]`;
  const show = (next: Gateway, index: number) => {
    setOpened(next);
    setPlace(index);
    setTyped(typedOf(plugin, next, index));
  };
  const replace = (entries: PluginEntryInput[]) =>
    call(gateways.update, {
      params: { gateway_id: opened.id },
      body: { required_plugins: entries },
      version: opened.version,
    });
  const save = useAction(async () => {
    const entry = {
      ...(saved ?? freshFor(plugin)),
      enabled: typed.enabled,
      priority: Number(typed.priority),
      settings: toValues(plugin.settings_schema, typed.settings, `${at}.settings`),
    };
    show(await replace(required_plugins.toSpliced(place, 1, entry)), place);
    announce("Saved.");
  });
  const remove = () =>
    confirm({
      title: "Delete this entry?",
      body: <p>Its limits no longer apply. The other entries stay.</p>,
      button: "Delete",
      run: async () => {
        const next = await replace(required_plugins.toSpliced(place, 1));
        show(next, firstPlace(next));
        announce("The entry was deleted.");
      },
    });
  return (
    <Form
      action={save}
      save={saved ? "Save" : "Set limits"}
      locked={!may("write")}
      onStale={onStale}
      more={
        saved && (
          <button type="button" className="button" onClick={remove}>
            Delete entry
          </button>
        )
      }
    >
      <Section
        title="Rate limits"
        about={describeLimits(required_plugins) ?? "Nothing is limited at this gateway now."}
      >
        {required_plugins.some(isLimiter) && (
          <SelectField
            label="Entry"
            hint="All enabled entries apply together. A request that one refuses is charged to none."
            value={`${place}`}
            options={entryOptions(required_plugins)}
            onChange={(index) => show(opened, Number(index))}
          />
        )}
        <CheckField
          label="Enabled"
          hint="While it is off the settings are kept and nothing is counted."
          checked={typed.enabled}
          onChange={(enabled) => setTyped({ ...typed, enabled })}
        />
        <TextField
          label="Priority"
          type="number"
          hint="Lower numbers come first: the first exceeded entry sets the action."
          value={typed.priority}
          onChange={(priority) => setTyped({ ...typed, priority })}
          problem={findProblem(save.error, `${at}.priority`)}
        />
        <SchemaFields
          schema={plugin.settings_schema}
          draft={typed.settings}
          onChange={(settings) => setTyped({ ...typed, settings })}
          error={save.error}
          at={`${at}.settings`}
        />
      </Section>
    </Form>
  );
}

type PluginEntryInput = z.input<typeof PluginEntry>;

const freshFor = ({ name, stages: [stage = ""] }: Plugin) => ({ name, stage });

const isLimiter = ({ name }: PluginEntry) => name === RATE_LIMITER;

/** The index of the first entry, or the one that a new entry will have. */
function firstPlace({ required_plugins }: Gateway): number {
  const found = required_plugins.findIndex(isLimiter);
  return found < 0 ? required_plugins.length : found;
}

function entryOptions(entries: readonly PluginEntry[]): [string, string][] {
  const saved = entries.flatMap((entry, index): [string, string][] => {
    if (!isLimiter(entry)) return [];
    return [[`${index}`, `Priority ${entry.priority}: ${describeEntry(entry)}`]];
  });
  return [...saved, [`${entries.length}`, "New entry"]];
}

function typedOf(plugin: Plugin, gateway: Gateway, place: number) {
  const entry = gateway.required_plugins[place];
  return {
    enabled: entry?.enabled ?? true,
    priority: `${entry?.priority ?? 0}`,
    settings: toDraft(plugin.settings_schema, entry?.settings ?? {}),
  };
}
