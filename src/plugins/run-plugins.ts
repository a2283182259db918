/** Runs the plugins of a gateway in their order; the first refusal is thrown. */
import type { RequiredPlugin } from "../contract/gateways.ts";
import { plugins } from "./all.ts";
import type { PluginDeps, PluginRejection, PluginRequest, PreRequestStep } from "./plugin.ts";

/** A promise only where a plugin has to wait. */
export type Admission = undefined | Promise<undefined>;

export interface PluginRun {
  gateway: { id: string; plugins: readonly RequiredPlugin[] };
  request: PluginRequest;
  /** Hears which plugin refuses. */
  onRejected: (plugin: string) => void;
}

export function runPlugins(deps: PluginDeps, run: PluginRun, at = 0): Admission {
  const { gateway, request, onRejected: refused } = run;
  const required = gateway.plugins[at];
  if (!required) return undefined;
  const heed = (refusal: PluginRejection): void => {
    if (!refusal) return;
    refused(required.name);
    throw refusal;
  };
  const refusal = stepOf(required, gateway.id).admit(deps, request);
  if (refusal instanceof Promise) {
    return refusal.then(heed).then(() => runPlugins(deps, run, at + 1));
  }
  heed(refusal);
  return runPlugins(deps, run, at + 1);
}

/** Adds the headers of all plugins to a request that is rejected before it is admitted. */
export function describePlugins(
  deps: PluginDeps,
  { gateway, request }: Pick<PluginRun, "gateway" | "request">,
): void {
  for (const required of gateway.plugins) stepOf(required, gateway.id).describe(deps, request);
}

/** Keyed by an object of the snapshot, so a step is dropped with its snapshot. */
const steps = new WeakMap<RequiredPlugin, PreRequestStep>();

function stepOf(required: RequiredPlugin, gateway_id: string): PreRequestStep {
  let step = steps.get(required);
  if (!step) {
    const plugin = plugins.get(required.name);
    // Saved by a release that has the plugin: refusing is safer than skipping a limit.
    if (!plugin) throw new Error(`This release has no plugin "${required.name}".`);
    step = plugin.preRequest(required.settings, gateway_id);
    steps.set(required, step);
  }
  return step;
}
