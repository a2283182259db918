/** Worker of `measureWait`: calls a program again and again, and returns its longest wait. */
import { readMainThreadMs, type WaitingClient } from "./measure-wait.ts";

declare const self: Worker;

let working = true;

self.onmessage = async ({ data }: MessageEvent<WaitingClient | "stop">) => {
  if (data === "stop") {
    working = false;
    return;
  }
  const { url, pid } = data;
  let longest = 0;
  await fetch(`${url}/healthz`);
  self.postMessage(0);
  while (working) {
    const before = readMainThreadMs(pid);
    await Bun.sleep(5);
    await fetch(`${url}/healthz`);
    longest = Math.max(longest, readMainThreadMs(pid) - before);
  }
  self.postMessage(longest);
};
