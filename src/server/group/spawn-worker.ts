/** Spawns one worker of a group: a copy of this program with a message channel to it. */
import {
  createMessageChannel,
  type Handlers,
  type MessageChannel,
} from "../../lib/message-channel.ts";
import {
  type ReadyReport,
  type ToSupervisor,
  type ToWorker,
  WORKER_VARIABLE,
  type WorkerPlace,
} from "./protocol.ts";
import { relayLines } from "./relay-lines.ts";

/** Command that runs this program again. */
export interface WorkerProgram {
  command: string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Writes to the log of the supervisor; resolves when its reader can take more. */
  writeLog: (lines: Uint8Array) => Promise<void>;
}

export interface RunningWorker {
  request: MessageChannel<ToWorker>["request"];
  /** Rejects when the worker exits before it is ready. */
  ready: Promise<ReadyReport>;
  isReady: () => boolean;
  /** Resolves when the worker has exited and its log is written. */
  exited: Promise<{ code: number; signal: string | number | null }>;
  kill: (signal: "SIGTERM" | "SIGKILL") => void;
}

const MAX_RELAY_MS = 500;

export function spawnWorker(
  { command, env, writeLog }: WorkerProgram,
  place: WorkerPlace,
  handlers: Omit<Handlers<ToSupervisor>, "ready">,
): RunningWorker {
  const ready = Promise.withResolvers<ReadyReport>();
  ready.promise.catch(() => {}); // handled by those who wait for it
  let isReady = false;
  const all: Handlers<ToSupervisor> = {
    ...handlers,
    ready: (report) => {
      isReady = true;
      ready.resolve(report);
      return undefined;
    },
  };
  const child = Bun.spawn(command, {
    env: { ...env, [WORKER_VARIABLE]: JSON.stringify(place) },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    serialization: "json",
    ipc: (message) => void channel.receive(message).catch(() => {}),
  });
  const channel = createMessageChannel<ToWorker, ToSupervisor>(
    (message) => child.send(message),
    () => all,
  );
  const relayed = relayLines(child.stderr, writeLog).catch(() => {});
  const exited = child.exited.then(async (code) => {
    channel.close();
    ready.reject(new Error(`Worker ${place.index} exited with code ${code}.`));
    // Not longer: a log reader that does not read must not delay the replacement.
    await Promise.race([relayed, Bun.sleep(MAX_RELAY_MS)]);
    return { code, signal: child.signalCode };
  });
  return {
    request: channel.request,
    ready: ready.promise,
    isReady: () => isReady,
    exited,
    kill: (signal) => child.kill(signal),
  };
}
