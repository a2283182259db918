/** May this request go on? Runs the plugins of the gateway in their order; the first refusal ends it. */
import type { PluginEntry } from "../contract/gateways.ts";
import { userOf } from "../contract/user-header.ts";
import type { Deps } from "../deps.ts";
import { clientAddress } from "../lib/client-address.ts";
import { count } from "../lib/metrics.ts";
import { plugins } from "../plugins/all.ts";
import type { PluginRequest, PreRequest, Refusal } from "../plugins/plugin.ts";
import type { GatewayView } from "../snapshot/snapshot.ts";
import { liveState } from "./live-state.ts";
import type { Known } from "./stages.ts";

export function admit(deps: Deps, known: Known): Admission {
  const { gateway } = known.consumer;
  if (gateway.plugins.length === 0) return undefined;
  const { headers } = known.request;
  const client = clientAddress(
    known.ids.client,
    headers.get("x-forwarded-for"),
    deps.settings.TRUSTED_PROXIES,
  );
  const asked = {
    key_id: known.key.id,
    client,
    user: userOf(headers),
    headers,
    reply_headers: known.ids.headers,
  };
  return ask(deps, asked, gateway, 0);
}

/** A promise only where a plugin has to wait. */
type Admission = undefined | Promise<undefined>;

function ask(deps: Deps, asked: PluginRequest, gateway: GatewayView, at: number): Admission {
  const entry = gateway.plugins[at];
  if (!entry) return undefined;
  const heed = (refusal: Refusal): void => {
    if (!refusal) return;
    count(liveState(deps).tally.refusals, entry.name);
    throw refusal;
  };
  const refusal = stepOf(entry, gateway.id)(deps, asked);
  if (refusal instanceof Promise) {
    return refusal.then(heed).then(() => ask(deps, asked, gateway, at + 1));
  }
  heed(refusal);
  return ask(deps, asked, gateway, at + 1);
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
