/**
 * Returns the longest wait of another client while `work` runs, and the total of the work, in milliseconds of CPU time
 * of the main thread of the program: on a busy machine, other processes delay both. A worker waits, because this thread
 * sends the work.
 */
import { readFileSync } from "node:fs";
import type { Program } from "./program.ts";

export interface WaitingClient {
  url: string;
  pid: number;
}

export async function measureWait(
  { url, child: { pid } }: Program,
  work: () => Promise<unknown>,
): Promise<{ longest: number; total: number }> {
  const worker = new Worker(new URL("./waiting-client.ts", import.meta.url).href);
  const next = () =>
    new Promise<number>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });
  try {
    const started = next();
    worker.postMessage({ url, pid } satisfies WaitingClient);
    await started;
    const before = readMainThreadMs(pid);
    await work();
    const total = readMainThreadMs(pid) - before;
    const ended = next();
    worker.postMessage("stop");
    return { longest: await ended, total };
  } finally {
    worker.terminate();
  }
}

/** Returns the CPU time of the main thread of a process in milliseconds. Linux only. */
export const readMainThreadMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
