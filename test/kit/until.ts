/** Waits for what happens elsewhere, as long as a busy machine may need: a test asserts that it came, not how soon. */
const MAX_MS = 15_000;

/** Waits until `holds` returns true; returns the elapsed milliseconds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<number> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > MAX_MS) throw new Error("Timed out waiting for the condition.");
    await Bun.sleep(5);
  }
  return performance.now() - began;
}

/** For a figure that was promised to stay below: a busy machine only ever adds, so a worse one is measured again. */
export async function minOfRuns(measure: () => Promise<number>, promised: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && least >= promised; round++) {
    least = Math.min(least, await measure());
  }
  return least;
}

/** Returns the longest wait of `others` while `work` runs, as a share of its duration. */
export async function maxWaitShare(
  work: () => Promise<void>,
  others: (() => Promise<unknown>)[],
): Promise<number> {
  let working = true;
  let longest = 0;
  const began = performance.now();
  const worked = work().finally(() => {
    working = false;
  });
  while (working) {
    for (const other of others) {
      const started = performance.now();
      await Bun.sleep(5);
      await other();
      longest = Math.max(longest, performance.now() - started);
    }
  }
  await worked;
  return longest / (performance.now() - began);
}
