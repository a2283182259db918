/** Returns the policy that applies to an actor: its override, the collector's default policy, or undefined. */
import type { CollectorView, ProgramView } from "./snapshot.ts";

export const findProgram = (
  { overrides, program }: CollectorView,
  consumer_id: string | undefined,
): ProgramView | undefined => overrides.get(consumer_id ?? "") ?? program;
