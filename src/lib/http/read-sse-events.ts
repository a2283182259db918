/** Reads server-sent events from a byte stream. */
import { createParser } from "eventsource-parser";

export interface SseEvent {
  /** "message" where the event names no type. */
  type: string;
  /** Empty in some events: MCP servers send such an event to announce its id. */
  data: string;
  /** The last id that the stream has sent, "" before the first. */
  id: string;
  /** Milliseconds to wait before reconnecting, where the event contains them. */
  retry_ms: number | undefined;
}

/** The parser creates an Error for each invalid line (4 µs): a stream of nothing else would block the process. */
const MAX_INVALID_LINES = 1000;
/** About eleven days. A larger delay overflows the runtime's timers, which then fire at once. */
const MAX_RETRY_MS = 999_999_999;
const LINE_END = /\r\n?/g;

/** Throws `invalid()` for a stream with too many invalid lines. Drops an event that is incomplete at the end. */
export async function* readSseEvents(
  body: AsyncIterable<Uint8Array>,
  invalid: () => Error,
): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder();
  const events: SseEvent[] = [];
  let id = "";
  let retry_ms: number | undefined;
  let invalidLines = 0;
  const parser = createParser({
    onEvent({ event: type = "message", data, id: own = id }) {
      id = own;
      events.push({ type, data, id, retry_ms });
      retry_ms = undefined;
    },
    onRetry(ms) {
      if (ms <= MAX_RETRY_MS) retry_ms = ms;
    },
    onError() {
      invalidLines += 1;
      if (invalidLines > MAX_INVALID_LINES) throw invalid();
    },
  });
  let endsWithCr = false;
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    // The LF of the CR that ended the last chunk. Waiting for it would delay the event, or lose the last one.
    const lines = endsWithCr && text.startsWith("\n") ? text.slice(1) : text;
    endsWithCr = text.endsWith("\r");
    // The parser takes quadratic time for CR: it searches the rest of the chunk for the other line end, for each line.
    parser.feed(lines.replaceAll(LINE_END, "\n"));
    yield* events.splice(0);
  }
}
