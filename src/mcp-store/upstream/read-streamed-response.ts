/** Reads the messages of an MCP event stream up to the response, and resumes a stream that ends early. */
import { setTimeout } from "node:timers/promises";
import { AppError } from "../../contract/errors.ts";
import type { WorkMeter } from "../../lib/concurrency/fair-turns.ts";
import { readSseEvents, type SseEvent } from "../../lib/http/read-sse-events.ts";
import { isEventStream } from "../../net/http/read-header-block.ts";
import type { Reply } from "../../net/http/reply.ts";

export interface StreamOptions {
  /** Called with the size of each chunk; throws when the total is too large. */
  count: (bytes: number) => void;
  waitToParse: (bytes: number) => Promise<void>;
  work: WorkMeter;
  /** Parses the data of an event. */
  parse: (data: string) => object;
  /** Receives the messages that precede the response, as they arrive. */
  onmessage: (message: object) => void;
  /** Opens the stream again, after the event with this id. */
  resume: (last_event_id: string) => Promise<Reply>;
  /** Ends the wait between two connections. */
  signal: AbortSignal;
}

/** An event id that can be sent as a header. */
const RESUMABLE_ID = /^[\x20-\x7e]{1,1024}$/;

/** Delay before resuming where the server sets none, and the lower bound of what it may set. */
const DEFAULT_RETRY_MS = 1_000;
const MIN_RETRY_MS = 100;

/** Returns the response: the first message with a result or an error. */
export async function readStreamedResponse(first: Reply, options: StreamOptions): Promise<object> {
  let reply = first;
  let last_event_id = "";
  let retry_ms = DEFAULT_RETRY_MS;
  const { work } = options;

  function take({ type, data, id, retry_ms: wait }: SseEvent): object | undefined {
    if (RESUMABLE_ID.test(id)) last_event_id = id;
    if (wait !== undefined) retry_ms = Math.max(wait, MIN_RETRY_MS);
    // An event without data only sets the id, and other event types are not MCP messages.
    if (data === "" || type !== "message") return undefined;
    const message = options.parse(data);
    if ("result" in message || "error" in message) return message;
    // Parsed without exact integers, because the SDK requires numbers in progress.
    options.onmessage(JSON.parse(data) as object);
    return undefined;
  }

  for (;;) {
    let readError: unknown;
    const chunks = async function* () {
      for (;;) {
        const chunk = await reply.read().catch((thrown: unknown) => {
          readError = thrown;
        });
        if (!chunk) return;
        work.start();
        options.count(chunk.byteLength);
        yield chunk;
        // Megabytes may be buffered, without any message.
        await work.yieldIfDue();
      }
    };
    try {
      for await (const event of readSseEvents(chunks(), invalidStream)) {
        await work.exclude(() => options.waitToParse(event.data.length));
        const response = take(event);
        if (response) return response;
        // A chunk may contain thousands of messages.
        await work.yieldIfDue();
      }
    } finally {
      reply.cancel();
    }
    if (last_event_id === "" || options.signal.aborted) throw readError ?? streamEndedError();
    await setTimeout(retry_ms, undefined, { signal: options.signal });
    reply = await options.resume(last_event_id);
    if (reply.status !== 200 || !isEventStream(reply.headers)) {
      reply.cancel();
      throw new AppError("upstream_failed", "The server did not resume its stream.");
    }
  }
}

const streamEndedError = () =>
  new AppError("upstream_failed", "The server closed the stream before its response.");

const invalidStream = () =>
  new AppError("upstream_failed", "The server sent a stream that is not valid server-sent events.");
