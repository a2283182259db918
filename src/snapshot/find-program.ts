/** Returns the policy that applies to an actor: its override, the collector's default policy, or undefined. */
import type { CompiledPolicy } from "../policy/compile-policy.ts";
import type { CollectorView } from "./snapshot.ts";

export function findProgram(
  { overrides, program, observe_until }: CollectorView,
  consumer_id: string | undefined,
  now: () => Date,
): CompiledPolicy | undefined {
  const mode = now().getTime() < observe_until ? "observe" : undefined;
  return (overrides.get(consumer_id ?? "") ?? program)?.(mode);
}
