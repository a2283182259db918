/** Body of a streamed response that is relayed unchanged; a copy is evaluated at its end. */

import { createEventSplitter, readData, type StreamEvent } from "../../../lib/http/split-events.ts";
import type { Bytes } from "../../../net/http/reply.ts";
import type { StreamedBody } from "../../upstream/upstream-reply.ts";
import { createAssembly } from "./assemble-response.ts";
import {
  checkEncoding,
  checkEventSize,
  createHeldCap,
  type GuardedBody,
  type StreamEvaluation,
} from "./stream-evaluation.ts";

export function createObservedBody(evaluation: StreamEvaluation, body: StreamedBody): GuardedBody {
  const splitter = createEventSplitter();
  const assembly = createAssembly(evaluation.format, createHeldCap());
  let { first } = body;
  /** Chunks that were sent and are not read yet. */
  let sent: Bytes[] = [];
  let problem: unknown;
  let isOver = false;

  function add(event: StreamEvent): void {
    const data = readData(event);
    if (data === "") checkEncoding(event.lines);
    else if (data.trim() !== "[DONE]") assembly.add(data);
  }

  /** Reads the chunks that were sent. */
  function observe(): void {
    const chunks = sent;
    sent = [];
    if (problem !== undefined) return;
    try {
      for (const event of chunks.flatMap(splitter.push)) add(event);
      checkEventSize(splitter);
    } catch (thrown) {
      problem = thrown;
    }
  }

  async function evaluate(): Promise<void> {
    observe();
    if (problem !== undefined) throw problem;
    const last = splitter.end();
    if (last) add(last);
    await evaluation.evaluate(assembly.toText(), { recorded: true });
  }

  async function stop(): Promise<void> {
    if (isOver) return;
    isOver = true;
    // The client has its response: a failure is only recorded.
    await evaluate()
      .catch(evaluation.fail)
      .catch(() => {});
  }

  return {
    ...body,
    first: undefined,
    async read() {
      const chunk = first ?? (await body.read());
      first = undefined;
      // After the event loop has written the chunk to the client.
      if (chunk && sent.push(chunk) === 1) setImmediate(observe);
      return chunk;
    },
    stop,
  };
}
