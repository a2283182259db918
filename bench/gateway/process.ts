/** Starts the programs under test, says what they cost in CPU and memory, and stops them by their pid. */
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";

export interface Program {
  /** Microseconds of CPU since the start, its worker processes included. */
  cpuUs: () => number;
  /** Memory in use now, in MiB. */
  rssMib: () => number;
  /** The most memory in use since `resetPeak`, in MiB. */
  peakMib: () => number;
  resetPeak: () => void;
  pids: () => number[];
  stop: () => Promise<void>;
}

export interface ProgramOptions {
  /** Responds at this address when it is ready. */
  port: number;
  env?: Record<string, string>;
  /** Its output goes to this file. */
  log: string;
  /** Stops it, within ten seconds. */
  signal?: "SIGTERM" | "SIGINT";
}

/** LiteLLM imports for 20 s, and for longer on a busy machine. */
const START_MS = 120_000;

/** The stack stops it at the latest. */
export async function startProgram(
  stack: AsyncDisposableStack,
  command: string[],
  { port, env = {}, log, signal = "SIGTERM" }: ProgramOptions,
): Promise<Program> {
  const output = openSync(log, "a");
  const child = Bun.spawn(command, {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdin: "ignore",
    stdout: output,
    stderr: output,
  });
  closeSync(output);
  const stop = async () => {
    child.kill(signal);
    const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await child.exited;
    clearTimeout(late);
  };
  stack.defer(stop);
  for (const end = performance.now() + START_MS; !(await takesConnections(port)); ) {
    if (child.exitCode !== null || performance.now() > end) {
      throw new Error(`did not start: ${command.join(" ")}\n${readFileSync(log, "utf8")}`);
    }
    await Bun.sleep(20);
  }
  const pids = () => [child.pid, ...childrenOf(child.pid)];
  const sum = (read: (pid: number) => number) => pids().reduce((all, pid) => all + read(pid), 0);
  return {
    cpuUs: () => sum(cpuUs),
    rssMib: () => sum((pid) => statusMib(pid, "VmRSS")),
    peakMib: () => sum((pid) => statusMib(pid, "VmHWM")),
    resetPeak: () => {
      for (const pid of pids()) writeFileSync(`/proc/${pid}/clear_refs`, "5");
    },
    pids,
    stop,
  };
}

export function freePort(): number {
  const held = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = held;
  held.stop(true);
  return port;
}

async function takesConnections(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}

function childrenOf(pid: number): number[] {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  const children = listed.split(" ").filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...childrenOf(child)]);
}

/** Linux reports CPU time in units of 10 ms, regardless of its tick rate. */
const TICK_US = 10_000;

function cpuUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the program's name in brackets, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

function statusMib(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) / 1024;
}
