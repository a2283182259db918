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
} from "../contract/gateway/gateways.ts";
import { completeGuard } from "../contract/guard/guard-settings.ts";
import { type GatewayRow, gatewayTable } from "../db/tables/gateways.ts";
import { newSlug } from "../lib/ids.ts";
import { plugins } from "../plugins/all.ts";
import type { Route } from "../route.ts";
import { route } from "../route.ts";
import { checkGuard } from "./check-guard.ts";
import { type ResourceDefinition, resourceRoutes } from "./resource-routes.ts";

const definition: ResourceDefinition<GatewayRow, GatewayInput, Gateway> = {
  table: gatewayTable,
  id: "gateway_id",
  scopeOf: () => ({}),
  visibleIds: (call) => call.actor.gateway_ids ?? undefined,
  toReply: (_, row) => ({ ...row, guard: completeGuard(row.guard) }),
  async toColumns(deps, input, { id }, before) {
    const guard = completeGuard(before?.guard, input.guard);
    await checkGuard(deps, guard, id);
    return {
      ...input,
      guard,
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
