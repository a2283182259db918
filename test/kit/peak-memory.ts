/** Measures memory in a process of its own: the test process holds the garbage of other test files. */

/** Runs a script from the root of the project. Returns the peak memory in MiB. */
export async function peakMemory(script: string): Promise<number> {
  const root = new URL("../..", import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, "-e", script], { cwd: root, stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error("The script failed.");
  return (child.resourceUsage()?.maxRSS ?? Number.POSITIVE_INFINITY) / 1024 / 1024;
}
