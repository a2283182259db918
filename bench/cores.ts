/** Pins the measured programs to one core, and this process with all other programs to the others. */
import { readFileSync } from "node:fs";

export interface Cores {
  /** Prefix of the command of a measured program. */
  own: string[];
  how: string;
}

/** Kept for the next benchmark of this process, which is no longer allowed on that core. */
let chosen: number | undefined;

/** A program that moves between cores finds cold caches, and its figures are those of the scheduler. */
export function separateCores(): Cores {
  const status = readFileSync("/proc/self/status", "utf8");
  const [, list = ""] = /^Cpus_allowed_list:\s*(.*)$/m.exec(status) ?? [];
  const cores = list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  chosen ??= cores[0] ?? 0;
  const others = cores.filter((core) => core !== chosen);
  if (others.length === 0) return { own: [], how: "the program and its clients share one core" };
  const here = ["--all-tasks", "--cpu-list", "--pid", others.join(","), String(process.pid)];
  Bun.spawnSync(["taskset", ...here]);
  return {
    own: ["taskset", "--cpu-list", String(chosen)],
    how: "the program has one core, its clients and upstreams the others",
  };
}
