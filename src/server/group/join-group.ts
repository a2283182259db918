/** Connects a worker to the supervisor that started it (decision 0014). */
import {
  createMessageChannel,
  type Handlers,
  type Message,
  type MessageChannel,
} from "../../lib/message-channel.ts";
import { type ToSupervisor, type ToWorker, WORKER_VARIABLE, type WorkerPlace } from "./protocol.ts";

export interface WorkerGroup extends WorkerPlace {
  request: MessageChannel<ToSupervisor>["request"];
  /** Handles the requests of the supervisor from now on; before, they succeed without effect. */
  handle: (handlers: Handlers<ToWorker>) => void;
  /** Resolves when the supervisor has exited. */
  abandoned: Promise<void>;
  leave: () => void;
}

/** Returns undefined when this process was not started by a supervisor. */
export function joinGroup(
  env: Readonly<Record<string, string | undefined>>,
): WorkerGroup | undefined {
  const place = env[WORKER_VARIABLE];
  if (place === undefined) return undefined;
  let handlers: Partial<Handlers<ToWorker>> = {};
  const channel = createMessageChannel<ToSupervisor, ToWorker>(
    (message) => process.send?.(message),
    () => handlers,
  );
  process.on("message", (message: Message) => void channel.receive(message).catch(() => {}));
  const abandoned = new Promise<void>((resolve) => process.once("disconnect", resolve));
  void abandoned.then(channel.close);
  return {
    ...(JSON.parse(place) as WorkerPlace), // written by the supervisor of the same release
    request: channel.request,
    handle: (given) => {
      handlers = given;
    },
    abandoned,
    leave: () => process.disconnect?.(),
  };
}
