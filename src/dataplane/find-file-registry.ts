/** Finds the registry that stores the consumer's own files. Files of others are a 404, like unknown ones (spec 4.6). */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { findReferencedFiles } from "./find-referenced-files.ts";
import { getLiveState } from "./live-state.ts";
import type { ParsedRequest } from "./stages.ts";

/** Returns undefined if the consumer shares all files, or the request refers to none in its path or body. */
export async function findFileRegistry(
  deps: Deps,
  { consumer, item, body }: Pick<ParsedRequest, "consumer" | "item" | "body">,
): Promise<string | undefined> {
  if (consumer.files_scope === "shared") return undefined;
  const named = body.kind === "json" ? findReferencedFiles(body.members.bytes) : [];
  const file_ids = item === undefined ? named : [item];
  if (file_ids.length === 0) return undefined;
  const registry_ids = consumer.registries.map(({ registry }) => registry.id);
  const registryId = await getLiveState(deps).file_owners.findRegistry(
    consumer.id,
    registry_ids,
    file_ids,
  );
  if (registryId !== undefined) return registryId;
  throw new AppError("not_found", "This consumer has no file with this id.");
}
