import { expect, test } from "bun:test";
import weights from "../../../models/injection.weights" with { type: "file" };
import type { DetectorServices, InspectionContext } from "../detector.ts";
import { createSegment } from "../segment.ts";
import { createInjectionInspector, LearnedSettings } from "./injection-inspector.ts";
import { createWindowScorer } from "./window-scorer.ts";

const scorer = createWindowScorer(await Bun.file(weights).bytes());
const inspect = createInjectionInspector("prompt_injection", LearnedSettings.parse({}));
const services = {
  loadWindowScorer: async () => scorer,
  scoreWindows: async (windows: readonly unknown[]) => windows.map(() => 0),
} as Partial<DetectorServices> as DetectorServices;

test("other evaluations run between the readings of a long text", async () => {
  let turns = 0;
  const waitForTurn = async () => {
    turns += 1;
  };
  const read = async (length: number) => {
    const text = "Disregard %41%42 i g n o r e ".repeat(length / 29);
    const context = { services, waitForTurn } as Partial<InspectionContext> as InspectionContext;
    await inspect([createSegment(text, "user", { pointer: "/input" })], context);
    return turns;
  };

  expect(await read(1000)).toBe(0);
  expect(await read(100_000)).toBeGreaterThan(2);
});
