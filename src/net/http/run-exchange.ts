/** Sends a request over a connection and waits for the answer to begin. */
import { AppError } from "../../contract/errors.ts";
import { type Connection, type Exchange, onSent, stopExchange, write } from "./connection.ts";
import type { Bytes, Reply } from "./reply.ts";

export interface OutgoingRequest {
  method: string;
  /** All lines, with the empty one behind them. */
  header_block: string;
  body: Bytes | ReadableStream<Bytes> | null;
  /** Of a stream: so many bytes, no more and no fewer. Without it the stream goes out in chunks. */
  content_length: number | undefined;
  signal: AbortSignal | undefined;
  client: Request | undefined;
  timeouts: {
    /** From the end of the request to the header_block of the answer. */
    headers_ms: number;
    /** Longest wait for more of the answer, or for the upstream to take more of the request. */
    idle_ms: number;
  };
}

export function runExchange(connection: Connection, outgoing: OutgoingRequest): Promise<Reply> {
  const { header_block, body } = outgoing;
  const source = body instanceof ReadableStream ? body.getReader() : undefined;
  const response = Promise.withResolvers<Reply>();
  const started: Exchange = {
    outgoing,
    response,
    partial: undefined,
    header_bytes: 0,
    header_block: undefined,
    decoder: undefined,
    chunks: [],
    streamed: undefined,
    source,
    sent: false,
    deadline: Number.POSITIVE_INFINITY,
  };
  connection.exchange = started;
  if (source) {
    sendStream(connection, started, source).then(
      (out) => out && onSent(started),
      (error) => stopExchange(connection, started, error),
    );
  } else {
    sendBuffered(connection, header_block, body as Bytes | null);
  }
  return response.promise;
}

/** Head and body leave in one write, in one packet where they fit; a longer body is not copied for it. */
const WRITE_BUFFER_BYTES = 64 * 1024;
/** Where the two are put together. What the system does not take at once is copied: the next request needs the place. */
const writeBuffer = Buffer.allocUnsafeSlow(WRITE_BUFFER_BYTES);

function sendBuffered(connection: Connection, header_block: string, body: Bytes | null): void {
  const length = header_block.length + (body?.length ?? 0);
  if (length > WRITE_BUFFER_BYTES) {
    const first = Buffer.from(header_block, "latin1");
    write(connection, body ? [first, body] : [first]);
    return;
  }
  writeBuffer.write(header_block, "latin1");
  if (body) writeBuffer.set(body, header_block.length);
  const taken = Math.max(0, connection.socket.write(writeBuffer, 0, length));
  write(connection, taken === length ? [] : [Buffer.from(writeBuffer.subarray(taken, length))]);
}

/** Whether all is out: not when the exchange ends before. Reads only what the connection takes. */
async function sendStream(
  connection: Connection,
  started: Exchange,
  source: ReadableStreamDefaultReader<Bytes>,
): Promise<boolean> {
  const { header_block, content_length } = started.outgoing;
  const out = (parts: Bytes[]) => new Promise<void>((resolve) => write(connection, parts, resolve));
  let left = content_length;
  await out([Buffer.from(header_block, "latin1")]);
  for (;;) {
    started.deadline = Number.POSITIVE_INFINITY; // the sender's time is not the upstream's
    const { done, value } = await source.read().catch((cause: unknown) => {
      throw toClientError(cause);
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
    if (left < 0) throw lengthMismatch();
    await out([value]);
  }
  if (left === undefined) await out([LAST_CHUNK]);
  else if (left > 0) throw lengthMismatch();
  return true;
}

const CRLF = Buffer.from("\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

function toClientError(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError("invalid_request", "The request body broke off.", { cause });
}

const lengthMismatch = () =>
  new AppError("invalid_request", "The request body is not as long as its Content-Length says.");
