/** Measures memory in a process of its own: the test process holds the garbage of other test files. */

/** Runs a script from the root of the project. Returns its peak memory in MiB. Linux only. */
export async function peakMemory(script: string): Promise<number> {
  const root = new URL("../..", import.meta.url).pathname;
  // Not the resource usage of the child, which begins with the memory of this process.
  const report = `${script}
    console.log(await Bun.file("/proc/self/status").text());`;
  const child = Bun.spawn([process.execPath, "-e", report], { cwd: root, stderr: "inherit" });
  const status = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("The script failed.");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
