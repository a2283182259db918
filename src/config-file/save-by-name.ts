/** Saves and removes gateways, registries and consumers by the names a configuration file uses. */

import { perform } from "../admin/perform.ts";
import { collectors } from "../contract/collectors.ts";
import type { ConfigConsumer, ConfigGateway, ConfigRegistry } from "../contract/config-file.ts";
import { consumers } from "../contract/consumers.ts";
import { type GatewayInput, gateways } from "../contract/gateways.ts";
import { registries } from "../contract/registries.ts";
import { collectorTable } from "../db/collectors.ts";
import { consumerTable } from "../db/consumers.ts";
import { gatewayTable } from "../db/gateways.ts";
import { registryTable } from "../db/registries.ts";
import type { Run } from "./draft-plan.ts";
import { consumerAt, gatewayAt, registryAt } from "./find-by-name.ts";

export function saveGateway(gateway: ConfigGateway): Run {
  return async (deps, actor) => {
    const body = ownMembers(gateway);
    const found = await gatewayTable.find(deps.db, { slug: body.slug });
    return found
      ? await perform(deps, actor, gateways.update, { params: { gateway_id: found.id }, body })
      : await perform(deps, actor, gateways.create, { body });
  };
}

/** Without the lists of what belongs to it: those are steps of their own. */
export function ownMembers(gateway: ConfigGateway): Omit<GatewayInput, "guard"> & { slug: string } {
  const { registries: _, consumers: __, catalog: ___, access_rules, issuers, ...own } = gateway;
  return own;
}

/** A gateway takes its collectors with it, but for those that the file has: `staying`, by name. */
export function removeGateway(slug: string, staying: ReadonlySet<string>): Run {
  return async (deps, actor) => {
    const params = await gatewayAt(deps, slug);
    for (const { id, name } of await collectorTable.all(deps.db, params)) {
      if (!staying.has(name)) continue;
      const body = { gateway_id: null };
      await perform(deps, actor, collectors.update, { params: { collector_id: id }, body });
    }
    return await perform(deps, actor, gateways.remove, { params });
  };
}

export function saveRegistry(gateway: string, body: ConfigRegistry): Run {
  return async (deps, actor) => {
    const params = await gatewayAt(deps, gateway);
    const found = await registryTable.find(deps.db, { ...params, name: body.name });
    return found
      ? await perform(deps, actor, registries.update, {
          params: { ...params, registry_id: found.id },
          body,
        })
      : await perform(deps, actor, registries.create, { params, body });
  };
}

export function removeRegistry(gateway: string, name: string): Run {
  return async (deps, actor) => {
    const params = await registryAt(deps, gateway, name);
    return await perform(deps, actor, registries.remove, { params });
  };
}

export function saveConsumer(gateway: string, { keys: _, ...consumer }: ConfigConsumer): Run {
  return async (deps, actor) => {
    const params = await gatewayAt(deps, gateway);
    const attached = consumer.registries.map(async ({ registry, ...entry }) => ({
      id: (await registryAt(deps, gateway, registry)).registry_id,
      ...entry,
    }));
    const body = { ...consumer, registries: await Promise.all(attached) };
    const found = await consumerTable.find(deps.db, { ...params, slug: consumer.slug });
    return found
      ? await perform(deps, actor, consumers.update, {
          params: { ...params, consumer_id: found.id },
          body,
        })
      : await perform(deps, actor, consumers.create, { params, body });
  };
}

export function removeConsumer(slug: string): Run {
  return async (deps, actor) =>
    await perform(deps, actor, consumers.remove, { params: await consumerAt(deps, slug) });
}
