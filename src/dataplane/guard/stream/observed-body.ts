/** Body of a streamed response that is relayed unchanged; a copy is evaluated at its end. */

import { createEventSplitter, readData, type StreamEvent } from "../../../lib/http/split-events.ts";
import type { Bytes } from "../../../net/http/reply.ts";
import type { StreamedBody } from "../../upstream/upstream-reply.ts";
import { createAssembly } from "./assemble-response.ts";
import { createOtherContent } from "./other-content.ts";
import { createNameCheck } from "./read-event.ts";
import {
  createStreamMemory,
  type GuardedBody,
  measureStreamWork,
  PART_BYTES,
  type StreamEvaluation,
  takeTurnToReadEvent,
} from "./stream-evaluation.ts";

/** A chunk is read when the client has it: an immediate would run before the socket is written. */
const DELAY_MS = 5;
/** Caps the chunks that are not read yet: an upstream may send faster than its events are read. */
const MAX_UNREAD_BYTES = 64 * 1024;

export function createObservedBody(evaluation: StreamEvaluation, body: StreamedBody): GuardedBody {
  const splitter = createEventSplitter();
  const memory = createStreamMemory(evaluation);
  const assembly = createAssembly(evaluation.format, memory);
  const others = createOtherContent(evaluation.format, memory);
  const checkEventName = createNameCheck(evaluation.format);
  const work = measureStreamWork(evaluation);
  /** Chunks that were sent and are not read yet, and their size. */
  let sent: Bytes[] = [];
  let unreadBytes = 0;
  /** Pending while chunks are read. */
  let observing: Promise<void> | undefined;
  let problem: unknown;
  /** The upstream has sent everything. */
  let isComplete = false;
  let isOver = false;

  async function add(event: StreamEvent): Promise<void> {
    const turn = takeTurnToReadEvent(evaluation, work, event);
    if (turn) await turn;
    others.addLines(event);
    const data = readData(event);
    if (data !== "" && data.trim() !== "[DONE]") {
      const read = assembly.add(data);
      checkEventName(event, read);
      others.addData(data, read);
    }
    await work.yieldIfDue();
  }

  function keep(chunk: Bytes): void {
    if (problem !== undefined) return;
    sent.push(chunk);
    unreadBytes += chunk.length;
    observing ??= observe();
  }

  /** Reads the chunks that were sent. */
  async function observe(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
    work.start();
    try {
      while (sent.length > 0) {
        const chunks = sent;
        sent = [];
        for (const chunk of chunks) {
          for (let at = 0; at < chunk.length; at += PART_BYTES) {
            const part = chunk.subarray(at, at + PART_BYTES);
            for (const event of splitter.push(part)) await add(event);
            memory.holdEvent(splitter);
            unreadBytes -= part.length;
          }
        }
      }
    } catch (thrown) {
      problem = thrown;
      sent = [];
      unreadBytes = 0;
    }
    observing = undefined;
  }

  async function evaluate(): Promise<void> {
    await observing;
    if (problem !== undefined) throw problem;
    const last = splitter.end();
    work.start();
    if (last && isComplete) await add(last);
    else if (last) others.addUnfinished(last);
    const response = assembly.toText();
    await work.yieldIfDue();
    await evaluation.evaluate(response, { recorded: true });
    for (const { text, ...options } of others.withCalls) {
      await evaluation.evaluate(text, { ...options, recorded: true });
    }
    work.start();
    const texts = others.joinTexts();
    await work.yieldIfDue();
    if (texts === undefined) return;
    // Many providers add names and titles to the events.
    const { isClean } = await evaluation.evaluate(texts, { recorded: false });
    if (!isClean) await evaluation.evaluate(texts, { recorded: true });
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
      if (unreadBytes > MAX_UNREAD_BYTES) await observing;
      const chunk = await body.read();
      if (chunk) keep(chunk);
      else isComplete = true;
      return chunk;
    },
    stop,
  };
}
