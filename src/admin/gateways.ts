/** Operations on gateways and plugins. */
import { z } from "zod";
import { describeIssues } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import {
  configureGateway,
  type Gateway,
  type GatewayInput,
  gateways,
  listPlugins,
  type PluginEntry,
  reconfigureGateway,
} from "../contract/gateways.ts";
import { collectorTable } from "../db/tables/collectors.ts";
import { type GatewayRow, gatewayTable } from "../db/tables/gateways.ts";
import type { Deps } from "../deps.ts";
import { newSlug } from "../lib/ids.ts";
import { plugins } from "../plugins/all.ts";
import type { Route } from "../route.ts";
import { route } from "../route.ts";
import { type ResourceDefinition, resourceRoutes } from "./resource-routes.ts";

const definition: ResourceDefinition<GatewayRow, GatewayInput, Gateway> = {
  table: gatewayTable,
  id: "gateway_id",
  scopeOf: () => ({}),
  visibleIds: (call) => call.actor.gateway_ids ?? undefined,
  toReply: (_, row) => row,
  async toColumns(deps, input, { id }) {
    await checkGuard(deps, input, id);
    return {
      ...input,
      slug: input.slug ?? `gw-${newSlug(12)}`,
      required_plugins: input.required_plugins.map(checkPlugin),
    };
  },
};

const crud = resourceRoutes(gateways, definition);

/** spec 4.2: the plugin configuration call is an update under the older address. */
const configure = (endpoint: typeof configureGateway | typeof reconfigureGateway): Route[] =>
  crud
    .filter((known) => known.endpoint === gateways.update)
    .map(({ handle }) => ({ endpoint, handle }));

export const gatewayRoutes: Route[] = [
  ...crud,
  ...configure(configureGateway),
  ...configure(reconfigureGateway),
  route(listPlugins, () => ({
    items: [...plugins.values()].map(({ name, summary, stages, settings }) => ({
      name,
      summary,
      stages: [...stages],
      settings_schema: z.toJSONSchema(settings, { io: "input" }),
    })),
  })),
];

/** Rejects a collector of another gateway, whose administrators would see the calls of this one. */
async function checkGuard(deps: Deps, { guard }: GatewayInput, gateway_id: string): Promise<void> {
  if (guard.collector_id === null) return;
  const collector = await collectorTable.find(deps.db, { id: guard.collector_id });
  if (collector && (collector.gateway_id ?? gateway_id) === gateway_id) return;
  throw new AppError("validation_failed", "guard.collector_id: is not a collector of this gateway");
}

function checkPlugin(entry: PluginEntry, index: number): PluginEntry {
  const at = `required_plugins[${index}]`;
  const plugin = plugins.get(entry.name);
  if (!plugin) {
    const known = [...plugins.keys()].join(", ");
    throw new AppError("validation_failed", `${at}.name: must be one of ${known}`);
  }
  if (!plugin.stages.includes(entry.stage)) {
    const stages = plugin.stages.join(", ");
    throw new AppError("validation_failed", `${at}.stage: must be one of ${stages}`);
  }
  const { error } = plugin.settings.safeParse(entry.settings, { reportInput: false });
  if (error) {
    const issues = error.issues.map((issue) => ({
      ...issue,
      path: ["required_plugins", index, "settings", ...issue.path],
    }));
    throw new AppError("validation_failed", describeIssues(issues));
  }
  return entry;
}
