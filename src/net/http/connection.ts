/** A connection to an upstream with at most one running exchange of request and response. */
import type { Socket } from "bun";
import { AppError } from "../../contract/errors.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { toUpstreamError } from "../to-upstream-error.ts";
import { type BodyDecoder, createBodyDecoder } from "./body-decoder.ts";
import { type HeaderBlock, isEventStream, readHeaderBlock } from "./read-header-block.ts";
import {
  type Bytes,
  createStreamedReply,
  createWholeReply,
  type Reply,
  type StreamedReply,
} from "./reply.ts";
import type { OutgoingRequest } from "./run-exchange.ts";

export interface Connection {
  socket: Socket<Connection>;
  address: string;
  exchange: Exchange | undefined;
  /** Request bytes that the socket has not accepted yet, and the callback afterwards. */
  unsent: Bytes[];
  onFlushed: (() => void) | undefined;
  /** End of the idle time, on the monotonic clock. */
  idle_until: number;
  /** The last response is complete, and the connection can be reused. */
  onFree: (connection: Connection, header_block: HeaderBlock) => void;
  onClose: (connection: Connection) => void;
}

export interface Exchange {
  outgoing: OutgoingRequest;
  response: PromiseWithResolvers<Reply>;
  /** Bytes of an incomplete header block. */
  partial: Buffer<ArrayBuffer> | undefined;
  /** Total size of the header blocks, including informational ones. */
  header_bytes: number;
  header_block: HeaderBlock | undefined;
  decoder: BodyDecoder | undefined;
  /** Buffered body of a short response. */
  chunks: Bytes[];
  streamed: StreamedReply | undefined;
  /** Source of a streamed request body. */
  source: ReadableStreamDefaultReader<Bytes> | undefined;
  /** The request is completely sent. */
  sent: boolean;
  /** Deadline of the current wait, on the monotonic clock. */
  deadline: number;
}

/** Caps header size and count, so that an upstream cannot exhaust memory. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Responses up to this length are buffered: they are forwarded in one write and can still fail over. */
const MAX_WHOLE_BYTES = 64 * 1024;
const HEADER_BLOCK_END = Buffer.from("\r\n\r\n");

export const socketEvents = {
  data({ data: connection }: Socket<Connection>, bytes: Buffer<ArrayBuffer>): void {
    const { exchange } = connection;
    if (!exchange)
      connection.socket.terminate(); // unsolicited data
    else if (exchange.header_block) onBodyBytes(connection, exchange, bytes);
    else onHeaderBytes(connection, exchange, bytes);
  },
  drain({ data: connection }: Socket<Connection>): void {
    flush(connection);
  },
  close({ data: connection }: Socket<Connection>, error?: Error): void {
    const { exchange } = connection;
    connection.onClose(connection);
    if (!exchange) return;
    const { header_block } = exchange;
    if (header_block?.framing.kind === "close" && !error)
      completeExchange(connection, exchange, header_block);
    else
      stopExchange(
        connection,
        exchange,
        new AppError("upstream_failed", undefined, { cause: error }),
      );
  },
  timeout({ data: connection }: Socket<Connection>): void {
    if (!connection.exchange) connection.socket.terminate();
  },
  error({ data: connection }: Socket<Connection>, error: Error): void {
    const { exchange } = connection;
    if (exchange) stopExchange(connection, exchange, toUpstreamError(error));
  },
};

/** Ends the exchange and its connection. Pending reads fail with `error`. */
export function stopExchange(connection: Connection, exchange: Exchange, error: AppError): void {
  if (connection.exchange !== exchange) return;
  detachExchange(connection, exchange);
  connection.socket.terminate();
  exchange.response.reject(error); // has no effect on a delivered response
  exchange.streamed?.end(error);
}

/** Sets the deadline of the next wait. */
function setDeadline(exchange: Exchange, ms: number): void {
  // The reader of a streamed response has its own deadline.
  exchange.deadline = exchange.streamed ? Number.POSITIVE_INFINITY : elapsedMs() + ms;
}

/** Marks the request as sent and starts the wait for the response. */
export function onSent(exchange: Exchange): void {
  exchange.sent = true;
  const { headers_ms, idle_ms } = exchange.outgoing.timeouts;
  setDeadline(exchange, exchange.header_block ? idle_ms : headers_ms);
}

/** Writes all pieces, then calls `onFlushed`, unless the exchange ends before. */
export function write(connection: Connection, pieces: Bytes[], onFlushed?: () => void): void {
  connection.unsent = pieces;
  connection.onFlushed = onFlushed;
  flush(connection);
}

function flush(connection: Connection): void {
  const { unsent, socket, exchange } = connection;
  for (let piece = unsent[0]; piece; piece = unsent[0]) {
    const written = socket.write(piece);
    if (written === piece.length) {
      unsent.shift();
      continue;
    }
    if (written > 0) unsent[0] = piece.subarray(written);
    if (exchange) setDeadline(exchange, exchange.outgoing.timeouts.idle_ms);
    return;
  }
  const { onFlushed } = connection;
  connection.onFlushed = undefined;
  if (onFlushed) onFlushed();
  else if (exchange && !exchange.source && !exchange.sent) onSent(exchange);
}

function onHeaderBytes(
  connection: Connection,
  exchange: Exchange,
  bytes: Buffer<ArrayBuffer>,
): void {
  const all = exchange.partial ? Buffer.concat([exchange.partial, bytes]) : bytes;
  let from = 0;
  while (!exchange.header_block) {
    const end = all.indexOf(HEADER_BLOCK_END, from);
    const length = (end < 0 ? all.length : end) - from;
    if (exchange.header_bytes + length > MAX_HEADER_BYTES) {
      stopExchange(connection, exchange, protocolError("The header block is too long."));
      return;
    }
    if (end < 0 && mayBecomeHeaderBlock(all, from)) {
      exchange.partial = all.subarray(from);
      return;
    }
    const text = end < 0 ? undefined : all.toString("latin1", from, end);
    const header_block =
      text === undefined ? undefined : readHeaderBlock(text, exchange.outgoing.method);
    if (!header_block || header_block.status === SWITCHING_PROTOCOLS) {
      stopExchange(connection, exchange, protocolError("The response is not HTTP/1.1."));
      return;
    }
    exchange.header_bytes += length;
    from = end + HEADER_BLOCK_END.length;
    // Skips informational responses (100, 103).
    if (header_block.status >= 200) exchange.header_block = header_block;
  }
  const { header_block } = exchange;
  const rest = all.subarray(from);
  exchange.partial = undefined;
  // Most responses are short and arrive in one chunk.
  if (header_block.framing.kind === "length" && header_block.framing.length === rest.length) {
    exchange.chunks = [rest];
    completeExchange(connection, exchange, header_block);
    return;
  }
  exchange.decoder = createBodyDecoder(header_block.framing);
  onBodyBytes(connection, exchange, rest);
}

const SWITCHING_PROTOCOLS = 101;

const STATUS_LINE_START = "HTTP/1.";

/** Rejects other protocols early instead of waiting for the timeout. Lines end with CRLF, never with LF alone. */
function mayBecomeHeaderBlock(bytes: Buffer, from: number): boolean {
  const text = bytes.toString("latin1", from, from + 64);
  return (
    STATUS_LINE_START.startsWith(text.slice(0, STATUS_LINE_START.length)) && !/[^\r]\n/.test(text)
  );
}

/** `cause` is logged; received bytes are not. */
const protocolError = (cause: string): AppError =>
  new AppError("upstream_failed", undefined, { cause: new Error(cause) });

function onBodyBytes(connection: Connection, exchange: Exchange, bytes: Bytes): void {
  const { header_block, decoder, streamed, chunks } = exchange;
  if (!header_block || !decoder) return;
  const proper = decoder.feed(bytes, streamed ? streamed.push : (chunk) => chunks.push(chunk));
  if (!proper) {
    // Events before the error are forwarded, regardless of packet boundaries.
    if (!streamed && chunks.length > 0 && isEventStream(header_block.headers))
      startStreaming(connection, exchange, header_block);
    stopExchange(connection, exchange, protocolError("The chunked encoding is invalid."));
  } else if (decoder.state.done) completeExchange(connection, exchange, header_block);
  else if (!streamed && isShort(header_block))
    setDeadline(exchange, exchange.outgoing.timeouts.idle_ms);
  else if (!streamed) startStreaming(connection, exchange, header_block);
}

const isShort = ({ framing, headers }: HeaderBlock): boolean =>
  framing.kind === "length" && framing.length <= MAX_WHOLE_BYTES && !isEventStream(headers);

/** Delivers the header block and the received part of the body; the rest follows as it arrives. */
function startStreaming(
  connection: Connection,
  exchange: Exchange,
  header_block: HeaderBlock,
): void {
  const { socket } = connection;
  exchange.deadline = Number.POSITIVE_INFINITY;
  const streamed = createStreamedReply(
    header_block,
    {
      // Several chunks of the encoding may be in one packet.
      exclusive: header_block.framing.kind !== "chunked",
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      stop: (error) => stopExchange(connection, exchange, error),
    },
    exchange.outgoing.timeouts.idle_ms,
  );
  exchange.streamed = streamed;
  for (const chunk of exchange.chunks) streamed.push(chunk);
  exchange.chunks = [];
  exchange.response.resolve(streamed.reply);
}

function completeExchange(
  connection: Connection,
  exchange: Exchange,
  header_block: HeaderBlock,
): void {
  const { decoder, chunks, streamed } = exchange;
  if (streamed) streamed.end();
  else exchange.response.resolve(createWholeReply(header_block, joinChunks(chunks)));
  detachExchange(connection, exchange);
  if (header_block.reusable && exchange.sent && !decoder?.state.surplus)
    connection.onFree(connection, header_block);
  else connection.socket.terminate();
}

const joinChunks = (chunks: Bytes[]): Bytes =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);

function detachExchange(connection: Connection, exchange: Exchange): void {
  connection.exchange = undefined;
  connection.unsent = [];
  connection.onFlushed = undefined;
  if (!exchange.sent) exchange.source?.cancel().catch(() => {}); // the rest is not sent
}
