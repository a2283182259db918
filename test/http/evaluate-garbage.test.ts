/** A huge evaluation leaves no garbage in the memory of the program: the next one would add to it. */
import { expect, test } from "bun:test";
import { makeGuardWithRules } from "../kit/guard.ts";
import { readMiB } from "../kit/peak-memory.ts";
import { startProgram } from "../kit/program.ts";
import { minOfRuns } from "../kit/until.ts";

test("the memory of a huge evaluation with many matches is returned when it ends", async () => {
  await using program = await startProgram();
  const guard = await makeGuardWithRules(program, "data_loss_prevention", { action: "report" });
  const body = { payload: { input: "a1@example.com ".repeat(100_000) } };
  const before = readMiB(program.child.pid);
  const measure = async () => {
    expect((await guard.send(body)).status).toBe(200);
    await Bun.sleep(400);
    return readMiB(program.child.pid) - before;
  };

  // Without a collection, 110 or more.
  expect(await minOfRuns(measure, 80)).toBeLessThan(80);
}, 30_000);
