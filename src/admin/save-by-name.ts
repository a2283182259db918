/** Saves and removes by the names a configuration file uses; ids are looked up when the step runs. */
import type {
  ConfigConsumer,
  ConfigGateway,
  ConfigKey,
  ConfigRegistry,
  ConfigToken,
} from "../contract/config-file.ts";
import { revokeConsumerKey } from "../contract/consumer-keys.ts";
import { consumers } from "../contract/consumers.ts";
import { AppError } from "../contract/errors.ts";
import { type GatewayInput, gateways } from "../contract/gateways.ts";
import { registries } from "../contract/registries.ts";
import { revokeToken } from "../contract/tokens.ts";
import { adminTokenTable } from "../db/admin-tokens.ts";
import { consumerTable } from "../db/consumers.ts";
import { gatewayTable } from "../db/gateways.ts";
import { consumerKeyTable } from "../db/keys.ts";
import { registryTable } from "../db/registries.ts";
import type { Deps } from "../deps.ts";
import type { Actor } from "../route.ts";
import { perform } from "./perform.ts";
import { saveKeyRow, saveTokenRow } from "./save-held.ts";

/** One change of the configuration, inside the transaction that `deps.db` is. */
export type Run = (deps: Deps, actor: Actor) => Promise<unknown>;

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

export function removeGateway(slug: string): Run {
  return async (deps, actor) =>
    await perform(deps, actor, gateways.remove, { params: await gatewayAt(deps, slug) });
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
    const params = await gatewayAt(deps, gateway);
    const registry_id = await registryId(deps, params.gateway_id, name);
    return await perform(deps, actor, registries.remove, { params: { ...params, registry_id } });
  };
}

export function saveConsumer(gateway: string, { keys: _, ...consumer }: ConfigConsumer): Run {
  return async (deps, actor) => {
    const params = await gatewayAt(deps, gateway);
    const attached = consumer.registries.map(async ({ registry, ...entry }) => ({
      id: await registryId(deps, params.gateway_id, registry),
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

export function saveKey(consumer: string, key: ConfigKey): Run {
  return async (deps, actor) => {
    const place = await consumerAt(deps, consumer);
    await saveKeyRow(deps, actor, place, key);
  };
}

export function revokeKey(consumer: string, sha256: string): Run {
  return async (deps, actor) => {
    const place = await consumerAt(deps, consumer);
    const row = found(await consumerKeyTable.find(deps.db, { hash: sha256 }), "consumer key");
    await perform(deps, actor, revokeConsumerKey, { params: { ...place, key_id: row.id } });
  };
}

export function saveToken({ gateways: slugs, ...token }: ConfigToken): Run {
  return async (deps, actor) => {
    const ids: string[] = [];
    for (const [index, slug] of (slugs ?? []).entries()) {
      const gateway = await gatewayTable.find(deps.db, { slug });
      if (!gateway) {
        throw new AppError("validation_failed", `gateways[${index}]: there is no such gateway`);
      }
      ids.push(gateway.id);
    }
    await saveTokenRow(deps, actor, { ...token, gateway_ids: slugs && ids });
  };
}

export function revokeTokenOf(sha256: string): Run {
  return async (deps, actor) => {
    const row = found(await adminTokenTable.find(deps.db, { hash: sha256 }), "token");
    await perform(deps, actor, revokeToken, { params: { token_id: row.id } });
  };
}

export async function gatewayAt(deps: Deps, slug: string): Promise<{ gateway_id: string }> {
  return { gateway_id: found(await gatewayTable.find(deps.db, { slug }), "gateway").id };
}

async function consumerAt(
  deps: Deps,
  slug: string,
): Promise<{ gateway_id: string; consumer_id: string }> {
  const row = found(await consumerTable.find(deps.db, { slug }), "consumer");
  return { gateway_id: row.gateway_id, consumer_id: row.id };
}

async function registryId(deps: Deps, gateway_id: string, name: string): Promise<string> {
  return found(await registryTable.find(deps.db, { gateway_id, name }), "registry").id;
}

/** The plan was made in this very transaction, so what it names is there. */
export function found<Row>(row: Row | undefined, noun: string): Row {
  if (!row) throw new AppError("conflict", `A ${noun} went away while the file was applied.`);
  return row;
}
