/** Finds the registry that stores the consumer's own objects. Those of others are a 404, like unknown ones (spec 4.6). */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { getLiveState } from "../live-state.ts";
import { OBJECT_ID } from "../match-endpoint.ts";
import type { ParsedRequest } from "../stages.ts";
import { findReferencedObjects } from "./find-referenced-objects.ts";

/** Returns undefined if the consumer shares all objects, or the request refers to none in its path or body. */
export async function findObjectRegistry(
  deps: Deps,
  { consumer, item, body }: Pick<ParsedRequest, "consumer" | "item" | "body">,
): Promise<string | undefined> {
  if (consumer.files_scope === "shared") return undefined;
  const named = body.kind === "json" ? findReferencedObjects(body.members.bytes) : [];
  const file_ids = item === undefined ? named : [item, ...named];
  if (file_ids.length === 0) return undefined;
  const registry_ids = consumer.registries.map(({ registry }) => registry.id);
  const { object_owners } = getLiveState(deps);
  // Others have no owner. Long ones would fill the cache of unknown ids.
  const registryId = file_ids.every((id) => OBJECT_ID.test(id))
    ? await object_owners.findRegistry(consumer.id, registry_ids, file_ids)
    : undefined;
  if (registryId !== undefined) return registryId;
  throw new AppError(
    "not_found",
    "This consumer has no file or other stored object with this id. Send an item of a response that it did not receive with its content and without its id.",
  );
}
