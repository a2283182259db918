/** Measures the time of each detector of a policy, for tests of the policy. */
import type { PolicyTestResult } from "../contract/guard/test-policy.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import type { CompiledPolicy, CompiledRule } from "../policy/compile-policy.ts";

type DetectorTime = PolicyTestResult["detector_times"][number];

/** Returns a copy of the policy whose rules are measured. Other evaluations run the rules as compiled. */
export function measureDetectors(policy: CompiledPolicy): {
  measured: CompiledPolicy;
  readTimes: () => DetectorTime[];
} {
  const times = new Map<string, DetectorTime>();
  const measure = (rule: CompiledRule): CompiledRule => ({
    ...rule,
    async inspect(texts, context) {
      const started = elapsedMs();
      let waited = 0;
      const waitForTurn = async (size: number) => {
        const began = elapsedMs();
        await context.waitForTurn?.(size);
        waited += elapsedMs() - began;
      };
      try {
        return await rule.inspect(texts, { ...context, waitForTurn });
      } finally {
        const { id, name } = rule.detector;
        const time = times.get(id) ?? { detector_id: id, detector_name: name, ms: 0 };
        time.ms += elapsedMs() - started - waited;
        times.set(id, time);
      }
    },
  });
  const { input, output } = policy.rules;
  return {
    measured: { ...policy, rules: { input: input.map(measure), output: output.map(measure) } },
    readTimes: () => [...times.values()].sort((one, other) => other.ms - one.ms),
  };
}
