/** A huge evaluation leaves no garbage in the memory of the program: the next one would add to it. */
import { expect, test } from "bun:test";
import { makeGuardWithRules } from "../kit/guard.ts";
import { readMiB } from "../kit/peak-memory.ts";
import { startProgram } from "../kit/program.ts";

test("huge evaluations with many matches leave no garbage, which would add up", async () => {
  await using program = await startProgram();
  const guard = await makeGuardWithRules(program, "data_loss_prevention", { action: "report" });
  const body = { payload: { input: "a1@example.com ".repeat(100_000) } };
  const sizes: number[] = [];

  for (let count = 0; count < 6; count++) {
    expect((await guard.send(body)).status).toBe(200);
    await Bun.sleep(400);
    sizes.push(readMiB(program.child.pid));
  }

  // With a collection 50 at most, without one 140 or more.
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(100);
}, 40_000);
