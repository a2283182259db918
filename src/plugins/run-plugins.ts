/** Runs the plugins of a gateway in their order; the first refusal is thrown. */
import type { PluginEntry } from "../contract/gateways.ts";
import { plugins } from "./all.ts";
import type { PluginDeps, PluginRequest, PreRequest, Refusal } from "./plugin.ts";

/** A promise only where a plugin has to wait. */
export type Admission = undefined | Promise<undefined>;

export interface PluginRun {
  gateway: { id: string; plugins: readonly PluginEntry[] };
  request: PluginRequest;
  /** Hears which plugin refuses. */
  refused: (plugin: string) => void;
}

export function runPlugins(deps: PluginDeps, run: PluginRun, at = 0): Admission {
  const { gateway, request, refused } = run;
  const entry = gateway.plugins[at];
  if (!entry) return undefined;
  const heed = (refusal: Refusal): void => {
    if (!refusal) return;
    refused(entry.name);
    throw refusal;
  };
  const refusal = stepOf(entry, gateway.id)(deps, request);
  if (refusal instanceof Promise) {
    return refusal.then(heed).then(() => runPlugins(deps, run, at + 1));
  }
  heed(refusal);
  return runPlugins(deps, run, at + 1);
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
