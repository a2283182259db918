/** Sends a request over a connection and waits for the answer to begin. */
import { AppError } from "../../contract/errors.ts";
import { asUpstreamError } from "../upstream-error.ts";
import { type Connection, type Exchange, expectWithin, stop, write } from "./connection.ts";
import type { Bytes, Reply } from "./reply.ts";

export interface Outgoing {
  method: string;
  /** All lines, with the empty one behind them. */
  head: string;
  body: Bytes | ReadableStream<Bytes> | null;
  /** Of a stream: so many bytes, no more and no fewer. Without it the stream goes out in chunks. */
  content_length: number | undefined;
  signal: AbortSignal | undefined;
  timeouts: {
    /** From the end of the request to the head of the answer. */
    headers_ms: number;
    /** Longest wait for more of the answer, or for the upstream to take more of the request. */
    idle_ms: number;
  };
}

export function exchange(connection: Connection, outgoing: Outgoing): Promise<Reply> {
  const { method, head, body, signal, timeouts } = outgoing;
  const source = body instanceof ReadableStream ? body.getReader() : undefined;
  const onAbort = () => stop(connection, started, asUpstreamError(signal?.reason));
  const onSent = () => {
    started.sent = true;
    if (!started.head) expectWithin(connection, started, timeouts.headers_ms);
  };
  const started: Exchange = {
    method,
    idle_ms: timeouts.idle_ms,
    answered: Promise.withResolvers<Reply>(),
    received: undefined,
    head_bytes: 0,
    head: undefined,
    decoder: undefined,
    chunks: [],
    streamed: undefined,
    sent: false,
    timer: undefined,
    onOver() {
      signal?.removeEventListener("abort", onAbort);
      if (!started.sent) source?.cancel().catch(() => {}); // nobody takes the rest
    },
  };
  connection.exchange = started;
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted) onAbort();
  else if (!source) write(connection, pieces(head, body as Bytes | null), onSent);
  else
    upload(connection, started, source, outgoing).then(
      (out) => out && onSent(),
      (error) => stop(connection, started, error),
    );
  return started.answered.promise;
}

/** Head and body leave in one write, in one packet where they fit; a longer body is not copied for it. */
const ONE_WRITE_BYTES = 64 * 1024;

function pieces(head: string, body: Bytes | null): Bytes[] {
  if (!body) return [Buffer.from(head, "latin1")];
  if (body.length > ONE_WRITE_BYTES) return [Buffer.from(head, "latin1"), body];
  const both = Buffer.allocUnsafe(head.length + body.length);
  both.write(head, "latin1");
  both.set(body, head.length);
  return [both];
}

/** Whether all is out: not when the exchange ends before. Reads only what the connection takes. */
async function upload(
  connection: Connection,
  started: Exchange,
  source: ReadableStreamDefaultReader<Bytes>,
  { head, content_length }: Outgoing,
): Promise<boolean> {
  const out = (parts: Bytes[]) => new Promise<void>((resolve) => write(connection, parts, resolve));
  let left = content_length;
  await out(pieces(head, null));
  for (;;) {
    expectWithin(connection, started, undefined); // the sender's time is not the upstream's
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
