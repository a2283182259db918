/** Body of a streamed response that is evaluated and masked before it is sent. */
import { AppError } from "../../../contract/errors.ts";
import { createEventSplitter, type StreamEvent } from "../../../lib/http/split-events.ts";
import { createSlabEncoder } from "../../../lib/text/slab-encoder.ts";
import type { Bytes } from "../../../net/http/reply.ts";
import type { StreamedBody } from "../../upstream/upstream-reply.ts";
import { createStreamMask } from "./mask-stream.ts";
import {
  createStreamMemory,
  type GuardedBody,
  measureStreamWork,
  PART_BYTES,
  type StreamEvaluation,
  takeTurnToReadEvent,
} from "./stream-evaluation.ts";

/** While everything is held, a comment keeps proxies and clients from closing the connection. */
const KEEP_ALIVE_MS = 15_000;
const NO_BYTES = new Uint8Array(0);

export function createMaskedBody(evaluation: StreamEvaluation, body: StreamedBody): GuardedBody {
  const { deps, context, format, evaluate } = evaluation;
  /** Thousands of events may arrive in one chunk, or in chunks that are read at once. */
  const work = measureStreamWork(evaluation);
  const { evaluate: evaluateByPolicy, ...texts } = deps.openResponseGuard(context, work);
  const memory = createStreamMemory(evaluation);
  const mask = createStreamMask(
    format,
    {
      ...texts,
      evaluatePart: (text, incomplete_calls) =>
        work.exclude(() =>
          evaluate(text, { recorded: false, incomplete_calls, evaluate: evaluateByPolicy }),
        ),
      evaluateResponse: (text) =>
        work.exclude(() => evaluate(text, { recorded: true, evaluate: evaluateByPolicy })),
      starting_after: evaluation.starting_after,
    },
    memory,
  );
  const encode = createSlabEncoder();
  const splitter = createEventSplitter();
  let { first } = body;
  /** Bytes that have arrived and are not split into events yet. */
  let unsplit: Bytes = NO_BYTES;
  /** Events that have arrived, and the number of them that the mask has received. */
  let arrived: StreamEvent[] = [];
  let added = 0;
  /** Set when the stream has ended; thrown after the last text. */
  let end: { error: unknown } | undefined;
  let isStopped = false;
  /** Pending while the text of a stopped stream is evaluated. */
  let stopped = Promise.resolve();
  let sentAt = deps.now().getTime();
  /** Pending while an evaluation runs, which must end before another begins. */
  let adding = Promise.resolve();
  /** Text that passes because the guard failed and its collector is fail-open. */
  let passing: string | undefined;

  /** Evaluates what the upstream sends next. */
  async function addNext(): Promise<void> {
    if (unsplit.length === 0) unsplit = await receive();
    work.start();
    if (unsplit.length > 0) {
      arrived = splitter.push(unsplit.subarray(0, PART_BYTES));
      unsplit = unsplit.subarray(PART_BYTES);
    }
    await work.yieldIfDue();
    added = 0;
    for (const event of arrived) {
      // The client does not receive what follows.
      if (isStopped) break;
      const turn = takeTurnToReadEvent(evaluation, work, event);
      if (turn) await turn;
      added++;
      await mask.add(event);
      const next = work.yieldIfDue();
      if (next) await next;
    }
    arrived = [];
    memory.holdEvent(splitter);
    if (end && !isStopped) await mask.end();
    if (mask.isBlocked()) endAsBlocked();
  }

  function endAsBlocked(): void {
    end = { error: new AppError("guard_blocked", "The policy blocks this response.") };
    body.cancel();
  }

  async function receive(): Promise<Bytes> {
    try {
      const chunk = first ?? (await body.read());
      first = undefined;
      if (chunk) return chunk;
      end = { error: undefined };
      const last = splitter.end();
      arrived = last ? [last] : [];
    } catch (error) {
      // The runtime reads no further after the client has disconnected.
      if (evaluation.request.signal.aborted) void stop();
      // An unfinished event is dropped.
      end ??= { error };
    }
    return NO_BYTES;
  }

  async function fail(thrown: unknown): Promise<void> {
    try {
      await work.exclude(() => evaluation.fail(thrown));
    } catch (error) {
      end = { error };
      body.cancel();
      return;
    }
    if (!mask.isBlocked()) {
      await mask.release().catch((error: unknown) => {
        deps.log("guard_failed", { level: "error", trace_id: context.trace_id, error });
      });
    }
    if (mask.isBlocked()) return endAsBlocked();
    passing =
      mask.take() +
      arrived
        .slice(added)
        .map(({ text }) => text)
        .join("") +
      splitter.rest() +
      splitter.decode(unsplit);
  }

  function send(text: string): Bytes {
    sentAt = deps.now().getTime();
    return encode(text);
  }

  /** Returns a comment if the client has received nothing for a while. */
  const keepAlive = (): string =>
    !end && deps.now().getTime() - sentAt >= KEEP_ALIVE_MS ? ": held\n\n" : "";

  async function read(): Promise<Bytes | undefined> {
    for (;;) {
      if (passing !== undefined) {
        const text = passing;
        passing = "";
        if (text !== "") return send(text);
        const chunk = await body.read();
        if (!chunk) return undefined;
        passing = splitter.decode(chunk);
        continue;
      }
      const text = isStopped ? "" : mask.take() || keepAlive();
      if (text !== "") return send(text);
      if (end?.error !== undefined) throw end.error;
      if (end) return undefined;
      adding = addNext().catch(fail);
      await adding;
    }
  }

  /** Ends without another read: the text so far is evaluated and recorded, but not sent. */
  function stop(): Promise<void> {
    // An evaluation may still run, also after the last chunk.
    if (end || passing !== undefined) return adding.then(() => stopped);
    end = { error: new AppError("client_closed") };
    isStopped = true;
    stopped = adding
      .then(() => {
        work.start();
        return mask.end();
      })
      .catch(evaluation.fail)
      .catch(() => {});
    return stopped;
  }

  return { ...body, first: undefined, read, stop };
}
