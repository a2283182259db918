/** May this request go on? Runs the plugins of the gateway in their order; the first refusal ends it. */
import type { PluginEntry } from "../contract/gateways.ts";
import type { Deps } from "../deps.ts";
import { clientAddress } from "../lib/client-address.ts";
import { plugins } from "../plugins/all.ts";
import type { PreRequest } from "../plugins/plugin.ts";
import type { Known } from "./stages.ts";

export async function admit(deps: Deps, known: Known): Promise<void> {
  const { gateway } = known.consumer;
  if (gateway.plugins.length === 0) return;
  const { headers } = known.request;
  const asked = {
    key_id: known.key.id,
    client: clientAddress(
      known.ids.client,
      headers.get("x-forwarded-for"),
      deps.settings.TRUSTED_PROXIES,
    ),
    headers,
  };
  for (const entry of gateway.plugins) {
    const told = stepOf(entry, gateway.id)(deps, asked);
    const { headers, refusal } = told instanceof Promise ? await told : told;
    Object.assign(known.ids.headers, headers);
    if (refusal) throw refusal;
  }
}

/** An entry lives as long as its snapshot, and so does what was made of its settings. */
const steps = new WeakMap<PluginEntry, PreRequest>();

function stepOf(entry: PluginEntry, gateway_id: string): PreRequest {
  let step = steps.get(entry);
  if (!step) {
    const plugin = plugins.get(entry.name);
    // Saved by a release that knew the plugin: better to refuse than to leave a limit out.
    if (!plugin) throw new Error(`This release has no plugin "${entry.name}".`);
    step = plugin.preRequest(entry.settings, gateway_id);
    steps.set(entry, step);
  }
  return step;
}
