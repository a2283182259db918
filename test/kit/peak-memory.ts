/** Measures memory in a process of its own: the test process holds the garbage of other test files. Linux only. */
import { readFileSync } from "node:fs";

/** Runs a script from the root of the project. Returns its peak memory in MiB. */
export async function peakMemory(script: string): Promise<number> {
  const root = new URL("../..", import.meta.url).pathname;
  // Not the resource usage of the child, which begins with the memory of this process.
  const report = `${script}
    console.log(await Bun.file("/proc/self/status").text());`;
  const child = Bun.spawn([process.execPath, "-e", report], { cwd: root, stderr: "inherit" });
  const status = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("The script failed.");
  return findPeak(status);
}

/** Returns the peak memory of a running process in MiB. */
export const readPeakMiB = (pid: number): number =>
  findPeak(readFileSync(`/proc/${pid}/status`, "utf8"));

const findPeak = (status: string): number => Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;

/** Returns the present memory of a running process in MiB. */
export const readMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
