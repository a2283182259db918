/** Form of the rate_limiter entries of a gateway. */
import type { z } from "zod";
import type { Gateway, listPlugins, PluginEntry } from "../../contract/gateway/gateways.ts";
import { call } from "../api.ts";
import { gateways } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { CheckField, SelectField, TextField } from "../ui/fields/field.tsx";
import { toSchemaDraft, toValues } from "../ui/fields/schema-draft.ts";
import { SchemaFields } from "../ui/fields/schema-fields.tsx";
import { Section } from "../ui/form.tsx";
import { Ready } from "../ui/page.tsx";
import { ResourceForm, useResourceForm } from "../ui/use-resource-form.tsx";
import { useLoad } from "../use-load.ts";
import { describeEntry, describeLimits, RATE_LIMITER } from "./describe-limits.ts";

interface RateLimitsFormProps {
  gateway: Gateway;
}

export function RateLimitsForm({ gateway }: RateLimitsFormProps) {
  const loaded = useLoad("plugins", (read) => read(gateways.plugins, { params: {} }));
  return (
    <Ready of={loaded} what="The plugins">
      {({ items }) => <EntryForm gateway={gateway} plugin={findLimiter(items)} />}
    </Ready>
  );
}

type Plugin = z.output<typeof listPlugins.reply>["items"][number];

function findLimiter(plugins: readonly Plugin[]): Plugin {
  const plugin = plugins.find(({ name }) => name === RATE_LIMITER);
  if (!plugin) throw new Error("The server has no rate limiter.");
  return plugin;
}

function EntryForm({ gateway, plugin }: RateLimitsFormProps & { plugin: Plugin }) {
  const { announce, confirm } = useSession();
  const form = useResourceForm({
    noun: "gateway",
    loaded: gateway,
    toDraft: (stored: Gateway = gateway, last?: EntryDraft) =>
      toDraft(plugin, stored, findIndex(stored, last)),
    save: ({ index, enabled, priority, settings }, stored = gateway) => {
      const entry = {
        ...(stored.required_plugins[index] ?? newEntry(plugin)),
        enabled,
        priority: Number(priority),
        settings: toValues(plugin.settings_schema, settings, `required_plugins[${index}].settings`),
      };
      return saveEntries(stored, stored.required_plugins.toSpliced(index, 1, entry));
    },
  });
  const { stored = gateway, draft, change } = form;
  const { required_plugins } = stored;
  const isSaved = required_plugins[draft.index] !== undefined;
  const at = `required_plugins[${draft.index}]`;
  const remove = () =>
    confirm({
      title: "Delete this entry?",
      body: <p>Its limits no longer apply. The other entries are kept.</p>,
      button: "Delete",
      run: async () => {
        form.adopt(await saveEntries(stored, required_plugins.toSpliced(draft.index, 1)));
        announce("The entry was deleted.");
      },
    });
  return (
    <ResourceForm
      form={form}
      save={isSaved ? "Save" : "Set limits"}
      extra={
        isSaved && (
          <button type="button" className="button" onClick={remove}>
            Delete entry
          </button>
        )
      }
    >
      <Section
        title="Rate limits"
        about={describeLimits(required_plugins) ?? "This gateway has no rate limits."}
      >
        {required_plugins.some(isLimiter) && (
          <SelectField
            label="Entry"
            hint="All enabled entries apply. A request that one entry rejects is counted by none."
            value={`${draft.index}`}
            options={entryOptions(required_plugins)}
            onChange={(index) => change(toDraft(plugin, stored, Number(index)))}
          />
        )}
        <CheckField
          label="Enabled"
          hint="A disabled entry keeps its settings and counts nothing."
          checked={draft.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        <TextField
          label="Priority"
          type="number"
          hint="Lower numbers run first. The first entry that is exceeded sets the action."
          value={draft.priority}
          onChange={(priority) => change({ priority })}
          problem={form.problem(`${at}.priority`)}
        />
        <SchemaFields
          schema={plugin.settings_schema}
          draft={draft.settings}
          onChange={(settings) => change({ settings })}
          error={form.error}
          at={`${at}.settings`}
        />
      </Section>
    </ResourceForm>
  );
}

type EntryDraft = ReturnType<typeof toDraft>;

function toDraft(plugin: Plugin, { required_plugins }: Gateway, index: number) {
  const entry = required_plugins[index];
  return {
    index,
    enabled: entry?.enabled ?? true,
    priority: `${entry?.priority ?? 0}`,
    settings: toSchemaDraft(plugin.settings_schema, entry?.settings ?? {}),
  };
}

const saveEntries = (
  { id, version }: Gateway,
  required_plugins: z.input<typeof PluginEntry>[],
): Promise<Gateway> =>
  call(gateways.update, { params: { gateway_id: id }, body: { required_plugins }, version });

const newEntry = ({ name, stages: [stage = ""] }: Plugin) => ({ name, stage });

const isLimiter = (entry: PluginEntry | undefined) => entry?.name === RATE_LIMITER;

/** Returns the index of the entry shown last, of the first entry, or of a new one. */
function findIndex({ required_plugins }: Gateway, last: EntryDraft | undefined): number {
  if (last && isLimiter(required_plugins[last.index])) return last.index;
  const first = required_plugins.findIndex(isLimiter);
  return first < 0 ? required_plugins.length : first;
}

function entryOptions(entries: readonly PluginEntry[]): [string, string][] {
  const saved = entries.flatMap((entry, index): [string, string][] => {
    if (!isLimiter(entry)) return [];
    return [[`${index}`, `Priority ${entry.priority}: ${describeEntry(entry)}`]];
  });
  return [...saved, [`${entries.length}`, "New entry"]];
}
