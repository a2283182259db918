/** Sends a request over a connection and waits for the response header block. */
import { AppError } from "../../contract/errors.ts";
import { type Connection, type Exchange, onSent, stopExchange, write } from "./connection.ts";
import type { Bytes, Reply } from "./reply.ts";

export interface OutgoingRequest {
  method: string;
  /** All lines, including the final empty line. */
  header_block: string;
  body: Bytes | ReadableStream<Bytes> | null;
  /** Exact length of a streamed body. Without it the body is sent chunked. */
  content_length: number | undefined;
  signal: AbortSignal | undefined;
  client: Request | undefined;
  timeouts: {
    /** From the end of the request to the header block of the response. */
    headers_ms: number;
    /** Maximum wait for more of the response, or for the upstream to accept more of the request. */
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

/** Header block and body are sent in one write if they fit; a longer body is not copied. */
const WRITE_BUFFER_BYTES = 64 * 1024;
/** Shared write buffer. Bytes that the socket does not accept immediately are copied, because the next request reuses it. */
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

/** Sends a streamed body at the pace of the connection. Returns false if the exchange ends before. */
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
    started.deadline = Number.POSITIVE_INFINITY; // waiting for the client does not count
    const { done, value } = await source.read().catch((cause: unknown) => {
      throw toClientError(cause);
    });
    if (connection.exchange !== started) return false;
    if (done) break;
    if (value.length === 0) continue; // an empty chunk would end the body
    if (left === undefined) {
      await out([Buffer.from(`${value.length.toString(16)}\r\n`), value, CRLF]);
      continue;
    }
    left -= value.length;
    // Surplus bytes would be read as the next request.
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
  return new AppError("invalid_request", "The request body is incomplete.", { cause });
}

const lengthMismatch = () =>
  new AppError("invalid_request", "The request body does not match its Content-Length.");
