/** Ids by the names that a configuration file uses, asked for when a step runs: a step before may have made them. */
import type { z } from "zod";
import type { Collector } from "../contract/collectors.ts";
import type { ConfigRegistryRef } from "../contract/config-guard.ts";
import { AppError } from "../contract/errors.ts";
import { collectorTable } from "../db/collectors.ts";
import { consumerTable } from "../db/consumers.ts";
import { detectorTable } from "../db/detectors.ts";
import { gatewayTable } from "../db/gateways.ts";
import { policyTable } from "../db/policies.ts";
import { registryTable } from "../db/registries.ts";
import type { Deps } from "../deps.ts";

export async function gatewayAt(deps: Deps, slug: string): Promise<{ gateway_id: string }> {
  return { gateway_id: found(await gatewayTable.find(deps.db, { slug }), "gateway").id };
}

export async function consumerAt(
  deps: Deps,
  slug: string,
): Promise<{ gateway_id: string; consumer_id: string }> {
  const row = found(await consumerTable.find(deps.db, { slug }), "consumer");
  return { gateway_id: row.gateway_id, consumer_id: row.id };
}

export async function registryAt(
  deps: Deps,
  gateway: string,
  name: string,
): Promise<{ gateway_id: string; registry_id: string }> {
  const place = await gatewayAt(deps, gateway);
  const row = found(await registryTable.find(deps.db, { ...place, name }), "registry");
  return { ...place, registry_id: row.id };
}

export async function collectorAt(deps: Deps, name: string): Promise<{ collector_id: string }> {
  return { collector_id: (await collectorNamed(deps, name)).id };
}

export const collectorNamed = async (deps: Deps, name: string): Promise<Collector> =>
  found(await collectorTable.find(deps.db, { name }), "collector");

/** The plan was made in this very transaction, so what it names is there. */
export function found<Row>(row: Row | undefined, noun: string): Row {
  if (!row) throw new AppError("conflict", `A ${noun} went away while the file was applied.`);
  return row;
}

/** The id of something that the file may name without having it; `at` is the member that names it. */
export async function named(
  deps: Deps,
  at: string,
  noun: "gateway" | "detector" | "policy",
  name: string,
): Promise<string> {
  const { db } = deps;
  const row =
    noun === "gateway"
      ? await gatewayTable.find(db, { slug: name })
      : await (noun === "policy" ? policyTable : detectorTable).find(db, { name });
  return existing(row, at, noun);
}

export async function namedRegistry(
  deps: Deps,
  at: string,
  { gateway, name }: z.infer<typeof ConfigRegistryRef>,
): Promise<string> {
  const gateway_id = await named(deps, `${at}.gateway`, "gateway", gateway);
  const row = await registryTable.find(deps.db, { gateway_id, name });
  return existing(row, `${at}.name`, "registry");
}

function existing(row: { id: string } | undefined, at: string, noun: string): string {
  if (!row) throw new AppError("validation_failed", `${at}: there is no such ${noun}`);
  return row.id;
}
