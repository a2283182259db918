/** Finds the registry that has the consumer's own files. Any other file is a 404, like one that never was (spec 4.6). */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { liveState } from "./live-state.ts";
import { referencedFiles } from "./referenced-files.ts";
import type { ModelRequest } from "./stages.ts";

/** Undefined: the consumer shares all files, or the request names none, in its path or its body. */
export async function findHolder(
  deps: Deps,
  { consumer, item, body }: Pick<ModelRequest, "consumer" | "item" | "body">,
): Promise<string | undefined> {
  if (consumer.files_scope === "shared") return undefined;
  const named = body.kind === "json" ? referencedFiles(body.members.bytes) : [];
  const file_ids = item === undefined ? named : [item];
  if (file_ids.length === 0) return undefined;
  const registry_ids = consumer.registries.map(({ registry }) => registry.id);
  const holder = await liveState(deps).owned.findHolder(consumer.id, registry_ids, file_ids);
  if (holder !== undefined) return holder;
  throw new AppError("not_found", "This consumer has no file with this id.");
}
