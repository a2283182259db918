/** Worker for stage 2 of the injection model. It imports little, so that the first evaluation does not wait for it. */
import { parentPort } from "node:worker_threads";
import { encodeWindows } from "../encode-windows.ts";
import { captureOutcome, type MessageFromWorker, type ModelTask } from "./messages.ts";

parentPort?.on("message", async ({ job, task }: { job: number; task: ModelTask }) => {
  const outcome = await captureOutcome(() => encodeWindows(task.input));
  const message: MessageFromWorker = { kind: "done", job, outcome };
  parentPort?.postMessage(message);
});
