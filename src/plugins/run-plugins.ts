/** Runs the plugins of a gateway in order, and throws the first rejection. */
import type { RequiredPlugin } from "../contract/gateway/gateways.ts";
import { plugins } from "./all.ts";
import type { PluginDeps, PluginRejection, PluginRequest, PreRequestStep } from "./plugin.ts";

/** A promise only when a plugin has to wait. */
export type Admission = undefined | Promise<undefined>;

export interface PluginRun {
  gateway: { id: string; plugins: readonly RequiredPlugin[] };
  request: PluginRequest;
  /** Called with the name of the plugin that rejects. */
  onRejected: (plugin: string) => void;
}

export function runPlugins(deps: PluginDeps, run: PluginRun, at = 0): Admission {
  const { gateway, request, onRejected } = run;
  const required = gateway.plugins[at];
  if (!required) return undefined;
  const check = (rejection: PluginRejection): void => {
    if (!rejection) return;
    onRejected(required.name);
    throw rejection;
  };
  const rejection = findStep(required, gateway.id).admit(deps, request);
  if (rejection instanceof Promise) {
    return rejection.then(check).then(() => runPlugins(deps, run, at + 1));
  }
  check(rejection);
  return runPlugins(deps, run, at + 1);
}

/** Adds the headers of all plugins to the response of a request that is rejected before admission. */
export function describePlugins(
  deps: PluginDeps,
  { gateway, request }: Pick<PluginRun, "gateway" | "request">,
): void {
  for (const required of gateway.plugins) findStep(required, gateway.id).describe(deps, request);
}

/** Keyed by an object of the snapshot, so that a step is collected with its snapshot. */
const steps = new WeakMap<RequiredPlugin, PreRequestStep>();

function findStep(required: RequiredPlugin, gateway_id: string): PreRequestStep {
  let step = steps.get(required);
  if (!step) {
    const plugin = plugins.get(required.name);
    // Saved by a newer release: failing is safer than skipping a limit.
    if (!plugin) throw new Error(`Unknown plugin "${required.name}". Upgrade this node.`);
    step = plugin.preRequest(required.settings, gateway_id);
    steps.set(required, step);
  }
  return step;
}
