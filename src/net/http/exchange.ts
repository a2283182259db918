/** Sends a request over a connection and waits for the answer to begin. */
import { AppError } from "../../contract/errors.ts";
import { type Connection, type Exchange, onSent, stop, write } from "./connection.ts";
import type { Bytes, Reply } from "./reply.ts";

export interface Outgoing {
  method: string;
  /** All lines, with the empty one behind them. */
  head: string;
  body: Bytes | ReadableStream<Bytes> | null;
  /** Of a stream: so many bytes, no more and no fewer. Without it the stream goes out in chunks. */
  content_length: number | undefined;
  signal: AbortSignal | undefined;
  client: Request | undefined;
  timeouts: {
    /** From the end of the request to the head of the answer. */
    headers_ms: number;
    /** Longest wait for more of the answer, or for the upstream to take more of the request. */
    idle_ms: number;
  };
}

export function exchange(connection: Connection, outgoing: Outgoing): Promise<Reply> {
  const { head, body } = outgoing;
  const source = body instanceof ReadableStream ? body.getReader() : undefined;
  const answered = Promise.withResolvers<Reply>();
  const started: Exchange = {
    outgoing,
    answered,
    received: undefined,
    head_bytes: 0,
    head: undefined,
    decoder: undefined,
    chunks: [],
    streamed: undefined,
    source,
    sent: false,
    due: Number.POSITIVE_INFINITY,
  };
  connection.exchange = started;
  if (source) {
    upload(connection, started, source).then(
      (out) => out && onSent(started),
      (error) => stop(connection, started, error),
    );
  } else {
    send(connection, head, body as Bytes | null);
  }
  return answered.promise;
}

/** Head and body leave in one write, in one packet where they fit; a longer body is not copied for it. */
const DESK_BYTES = 64 * 1024;
/** Where the two are put together. What the system does not take at once is copied: the next request needs the place. */
const desk = Buffer.allocUnsafeSlow(DESK_BYTES);

function send(connection: Connection, head: string, body: Bytes | null): void {
  const length = head.length + (body?.length ?? 0);
  if (length > DESK_BYTES) {
    const first = Buffer.from(head, "latin1");
    write(connection, body ? [first, body] : [first]);
    return;
  }
  desk.write(head, "latin1");
  if (body) desk.set(body, head.length);
  const taken = Math.max(0, connection.socket.write(desk, 0, length));
  write(connection, taken === length ? [] : [Buffer.from(desk.subarray(taken, length))]);
}

/** Whether all is out: not when the exchange ends before. Reads only what the connection takes. */
async function upload(
  connection: Connection,
  started: Exchange,
  source: ReadableStreamDefaultReader<Bytes>,
): Promise<boolean> {
  const { head, content_length } = started.outgoing;
  const out = (parts: Bytes[]) => new Promise<void>((resolve) => write(connection, parts, resolve));
  let left = content_length;
  await out([Buffer.from(head, "latin1")]);
  for (;;) {
    started.due = Number.POSITIVE_INFINITY; // the sender's time is not the upstream's
    const { done, value } = await source.read().catch((cause: unknown) => {
      throw sendersFault(cause);
    });
    if (connection.exchange !== started) return false;
    if (done) break;
    if (value.length === 0) continue; // as a chunk it would mean the end
    if (left === undefined) {
      await out([Buffer.from(`${value.length.toString(16)}\r\n`), value, CRLF]);
      continue;
    }
    left -= value.length;
    // What is too much would be read as the next request.
    if (left < 0) throw wrongLength();
    await out([value]);
  }
  if (left === undefined) await out([LAST_CHUNK]);
  else if (left > 0) throw wrongLength();
  return true;
}

const CRLF = Buffer.from("\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

function sendersFault(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError("invalid_request", "The request body broke off.", { cause });
}

const wrongLength = () =>
  new AppError("invalid_request", "The request body is not as long as its Content-Length says.");
