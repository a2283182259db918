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

/** A chunk is read when the client has it: an immediate would run before the socket is written. */
const DELAY_MS = 5;

export function createObservedBody(evaluation: StreamEvaluation, body: StreamedBody): GuardedBody {
  const splitter = createEventSplitter();
  const assembly = createAssembly(evaluation.format, createHeldCap());
  /** Chunks that were sent and are not read yet. */
  let sent: Bytes[] = [];
  let problem: unknown;
  let isOver = false;

  function add(event: StreamEvent): void {
    const data = readData(event);
    if (data === "") checkEncoding(event.lines);
    else if (data.trim() !== "[DONE]") assembly.add(data);
  }

  function keep(chunk: Bytes): void {
    if (sent.push(chunk) === 1) setTimeout(observe, DELAY_MS);
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

  if (body.first) keep(body.first);
  return {
    ...body,
    async read() {
      const chunk = await body.read();
      if (chunk) keep(chunk);
      return chunk;
    },
    stop,
  };
}
