/** Returns whether a rule of the guard's policy reads the files that a consumer uploads. */
import type { Deps } from "../../deps.ts";
import { readsDocuments } from "../../policy/inspect-rule.ts";
import { findProgram } from "../../snapshot/find-program.ts";
import type { ConsumerView } from "../../snapshot/snapshot.ts";

export function readsAttachments(
  { snapshot, now }: Pick<Deps, "snapshot" | "now">,
  { id, guard }: Pick<ConsumerView, "id" | "guard">,
): boolean {
  const collector = guard?.llm.input ? snapshot().collectors.get(guard.collector_id) : undefined;
  const program = collector && findProgram(collector, id, now);
  return program?.rules.input.some(readsDocuments) ?? false;
}
