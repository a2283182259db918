/** Runs the plugins of a gateway in their order; the first refusal ends it. */
import type { AppError } from "../contract/errors.ts";
import type { PluginEntry } from "../contract/gateways.ts";
import { plugins } from "./all.ts";
import type { PluginDeps, PluginRequest, PreRequest } from "./plugin.ts";

export interface Refused {
  plugin: string;
  refusal: AppError;
}

/** What plugins say goes into `headers`; undefined: none refuses. */
export async function runPlugins(
  deps: PluginDeps,
  gateway: { id: string; plugins: readonly PluginEntry[] },
  request: PluginRequest,
  headers: Record<string, string>,
): Promise<Refused | undefined> {
  for (const entry of gateway.plugins) {
    const told = await stepOf(entry, gateway.id)(deps, request);
    Object.assign(headers, told.headers);
    if (told.refusal) return { plugin: entry.name, refusal: told.refusal };
  }
  return undefined;
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
