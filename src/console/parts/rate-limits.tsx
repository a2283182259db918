/** How many requests may whom a gateway serves make? The rate limiter among its plugins. */
import { useState } from "react";
import type { z } from "zod";
import type { Gateway, listPlugins } from "../../contract/gateways.ts";
import { call } from "../api.ts";
import { gateways } from "../endpoints.ts";
import { useAction, useLoad } from "../load.ts";
import { useSession } from "../session.ts";
import { CheckField } from "./field.tsx";
import { Form, Section } from "./form.tsx";
import { limitWords, RATE_LIMITER } from "./limit-words.ts";
import { Ready } from "./page.tsx";
import { draftOf, valuesOf } from "./schema-draft.ts";
import { SchemaFields } from "./schema-fields.tsx";

interface RateLimitsProps {
  gateway: Gateway;
  onStale: () => void;
}

export function RateLimits(props: RateLimitsProps) {
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
  const { may, say } = useSession();
  // As it was when the form was filled: this is the version that a save changes.
  const [opened, setOpened] = useState(gateway);
  const [typed, setTyped] = useState(() => typedOf(plugin, gateway));
  const { required_plugins } = opened;
  const place = placeOf(opened);
  const at = `required_plugins[${place}].settings`;
  const save = useAction(async () => {
    const entry = {
      ...(required_plugins[place] ?? freshFor(plugin)),
      enabled: typed.enabled,
      settings: valuesOf(plugin.settings_schema, typed.settings, at),
    };
    const saved = await call(gateways.update, {
      params: { gateway_id: opened.id },
      body: { required_plugins: required_plugins.toSpliced(place, 1, entry) },
      version: opened.version,
    });
    setOpened(saved);
    setTyped(typedOf(plugin, saved));
    say("Saved.");
  });
  return (
    <Form
      action={save}
      save={required_plugins[place] ? "Save" : "Set limits"}
      locked={!may("write")}
      onStale={onStale}
    >
      <Section
        title="Rate limits"
        about={limitWords(required_plugins) ?? "Nothing is limited at this gateway now."}
      >
        <CheckField
          label="Enabled"
          hint="While it is off the settings are kept and nothing is counted."
          checked={typed.enabled}
          onChange={(enabled) => setTyped({ ...typed, enabled })}
        />
        <SchemaFields
          schema={plugin.settings_schema}
          draft={typed.settings}
          onChange={(settings) => setTyped({ ...typed, settings })}
          error={save.error}
          at={at}
        />
      </Section>
    </Form>
  );
}

const freshFor = ({ name, stages: [stage = ""] }: Plugin) => ({ name, stage, priority: 0 });

/** Where it stands among the plugins, or will when it is saved. */
function placeOf({ required_plugins }: Gateway): number {
  const found = required_plugins.findIndex(({ name }) => name === RATE_LIMITER);
  return found < 0 ? required_plugins.length : found;
}

function typedOf(plugin: Plugin, gateway: Gateway) {
  const entry = gateway.required_plugins[placeOf(gateway)];
  return {
    enabled: entry?.enabled ?? true,
    settings: draftOf(plugin.settings_schema, entry?.settings ?? {}),
  };
}
