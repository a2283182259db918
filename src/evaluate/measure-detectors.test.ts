import { expect, test } from "bun:test";
import type { CompiledPolicy, CompiledRule } from "../policy/compile-policy.ts";
import type { InspectionContext } from "../policy/detector.ts";
import { measureDetectors } from "./measure-detectors.ts";

test("the time of a detector does not include that of other evaluations, which run while it pauses", async () => {
  const rule = {
    detector: { id: "d", kind: "slow", name: "Slow" },
    inspect: async (_, { waitForTurn }) => {
      await waitForTurn?.(1);
      await Bun.sleep(20);
      return [];
    },
  } as Partial<CompiledRule> as CompiledRule;
  const { measured, readTimes } = measureDetectors({
    rules: { input: [rule], output: [] },
  } as Partial<CompiledPolicy> as CompiledPolicy);

  const context = { waitForTurn: () => Bun.sleep(300) } as Partial<InspectionContext>;
  await measured.rules.input[0]?.inspect([], context as InspectionContext);

  const [time] = readTimes();
  expect(time?.ms).toBeGreaterThan(15);
  expect(time?.ms).toBeLessThan(200);
});
