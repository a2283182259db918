/** Which registry has the consumer's own file? Another's is a 404, like one that never was (spec 4.6). */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { liveState } from "./live-state.ts";
import type { Known } from "./stages.ts";

/** Undefined: the consumer shares all files, or the request names none. */
export async function findHolder(
  deps: Deps,
  { consumer, item }: Pick<Known, "consumer" | "item">,
): Promise<string | undefined> {
  if (consumer.files_scope === "shared" || item === undefined) return undefined;
  const registry_ids = consumer.registries.map(({ registry }) => registry.id);
  const holder = await liveState(deps).owned.findHolder(consumer.id, registry_ids, item);
  if (holder !== undefined) return holder;
  throw new AppError("not_found", "There is no file with this id.");
}
