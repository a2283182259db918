/** A connection to an upstream, and the one exchange of request and answer that it carries at a time. */
import type { Socket } from "bun";
import { AppError } from "../../contract/errors.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { asUpstreamError } from "../upstream-error.ts";
import { type BodyDecoder, createBodyDecoder } from "./body-decoder.ts";
import type { Outgoing } from "./exchange.ts";
import { type Bytes, type Reply, type StreamedReply, streamedReply, wholeReply } from "./reply.ts";
import { isEventStream, type ReplyHead, readReplyHead } from "./reply-head.ts";

export interface Connection {
  socket: Socket<Connection>;
  address: string;
  exchange: Exchange | undefined;
  /** Of the request: what the system did not take yet, and what follows when it has. */
  unsent: Bytes[];
  onTaken: (() => void) | undefined;
  /** Until when it may wait for its next request, of the steady clock. */
  waits_until: number;
  /** The last answer is complete and left the connection fit for another exchange. */
  onFree: (connection: Connection, head: ReplyHead) => void;
  onClose: (connection: Connection) => void;
}

export interface Exchange {
  outgoing: Outgoing;
  answered: PromiseWithResolvers<Reply>;
  /** What has come of a head that is not complete. */
  received: Buffer<ArrayBuffer> | undefined;
  /** Of the heads that were read: those before the answer have no end by themselves. */
  head_bytes: number;
  head: ReplyHead | undefined;
  decoder: BodyDecoder | undefined;
  /** Of an answer that is handed over whole. */
  chunks: Bytes[];
  streamed: StreamedReply | undefined;
  /** What the request's body is read from, when it is a stream. */
  source: ReadableStreamDefaultReader<Bytes> | undefined;
  /** The whole request is out. */
  sent: boolean;
  /** When the wait for what comes next is over, of the steady clock. */
  due: number;
}

/** Longer heads, or more of them, are no use to anyone; without an end they would fill the memory. */
const MAX_HEAD_BYTES = 64 * 1024;
/** An answer of at most this length is waited for: it goes on in one write, and may still fail over. */
const WHOLE_BYTES = 64 * 1024;
const HEAD_END = Buffer.from("\r\n\r\n");

export const socketEvents = {
  data({ data: connection }: Socket<Connection>, bytes: Buffer<ArrayBuffer>): void {
    const { exchange } = connection;
    if (!exchange)
      connection.socket.terminate(); // nothing was asked: what comes next is not ours
    else if (exchange.head) onBody(connection, exchange, bytes);
    else onHead(connection, exchange, bytes);
  },
  drain({ data: connection }: Socket<Connection>): void {
    flush(connection);
  },
  close({ data: connection }: Socket<Connection>, error?: Error): void {
    const { exchange } = connection;
    connection.onClose(connection);
    if (!exchange) return;
    const { head } = exchange;
    if (head?.framing.kind === "close" && !error) complete(connection, exchange, head);
    else stop(connection, exchange, new AppError("upstream_failed", undefined, { cause: error }));
  },
  timeout({ data: connection }: Socket<Connection>): void {
    if (!connection.exchange) connection.socket.terminate();
  },
  error({ data: connection }: Socket<Connection>, error: Error): void {
    const { exchange } = connection;
    if (exchange) stop(connection, exchange, asUpstreamError(error));
  },
};

/** The exchange ends now and the connection with it. What was not handed over fails with `error`. */
export function stop(connection: Connection, exchange: Exchange, error: AppError): void {
  if (connection.exchange !== exchange) return;
  leave(connection, exchange);
  connection.socket.terminate();
  exchange.answered.reject(error); // has no effect on an answer that was handed over
  exchange.streamed?.end(error);
}

/** Starts the wait for what comes next; it takes the place of the wait before. */
export function expectWithin(exchange: Exchange, ms: number): void {
  // Whoever reads a streamed answer measures the wait for its next piece.
  exchange.due = exchange.streamed ? Number.POSITIVE_INFINITY : elapsedMs() + ms;
}

/** The whole request is out: from here on the answer is waited for, or the rest of one that came early. */
export function onSent(exchange: Exchange): void {
  exchange.sent = true;
  const { headers_ms, idle_ms } = exchange.outgoing.timeouts;
  expectWithin(exchange, exchange.head ? idle_ms : headers_ms);
}

/** Writes all pieces, then calls `onTaken`; never, when the exchange ends before. Left out: that was all. */
export function write(connection: Connection, pieces: Bytes[], onTaken?: () => void): void {
  connection.unsent = pieces;
  connection.onTaken = onTaken;
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
    if (exchange) expectWithin(exchange, exchange.outgoing.timeouts.idle_ms);
    return;
  }
  const { onTaken } = connection;
  connection.onTaken = undefined;
  if (onTaken) onTaken();
  else if (exchange && !exchange.source && !exchange.sent) onSent(exchange);
}

function onHead(connection: Connection, exchange: Exchange, bytes: Buffer<ArrayBuffer>): void {
  const all = exchange.received ? Buffer.concat([exchange.received, bytes]) : bytes;
  let from = 0;
  while (!exchange.head) {
    const end = all.indexOf(HEAD_END, from);
    const length = (end < 0 ? all.length : end) - from;
    if (exchange.head_bytes + length > MAX_HEAD_BYTES) {
      stop(connection, exchange, nonsense("Its head is too long."));
      return;
    }
    if (end < 0 && mayBecomeHead(all, from)) {
      exchange.received = all.subarray(from);
      return;
    }
    const text = end < 0 ? undefined : all.toString("latin1", from, end);
    const head = text === undefined ? undefined : readReplyHead(text, exchange.outgoing.method);
    if (!head || head.status === SWITCHING) {
      stop(connection, exchange, nonsense("It does not begin as an answer of HTTP/1.1."));
      return;
    }
    exchange.head_bytes += length;
    from = end + HEAD_END.length;
    // What stands before the answer (100, 103) was not asked for.
    if (head.status >= 200) exchange.head = head;
  }
  const { head } = exchange;
  const rest = all.subarray(from);
  exchange.received = undefined;
  // Most answers are short and come at once.
  if (head.framing.kind === "length" && head.framing.length === rest.length) {
    exchange.chunks = [rest];
    complete(connection, exchange, head);
    return;
  }
  exchange.decoder = createBodyDecoder(head.framing);
  onBody(connection, exchange, rest);
}

const SWITCHING = 101;

const START = "HTTP/1.";

/** To wait for the end of anything else would take until the timeout. Lines end with CRLF, never with LF alone. */
function mayBecomeHead(bytes: Buffer, from: number): boolean {
  const text = bytes.toString("latin1", from, from + 64);
  return START.startsWith(text.slice(0, START.length)) && !/[^\r]\n/.test(text);
}

/** `cause` is for the log: what was received stays out of it. */
const nonsense = (cause: string): AppError =>
  new AppError("upstream_failed", undefined, { cause: new Error(cause) });

function onBody(connection: Connection, exchange: Exchange, bytes: Bytes): void {
  const { head, decoder, streamed, chunks } = exchange;
  if (!head || !decoder) return;
  const proper = decoder.feed(bytes, streamed ? streamed.push : (chunk) => chunks.push(chunk));
  if (!proper) {
    // Events that came before it are passed on, however the packets were cut.
    if (!streamed && chunks.length > 0 && isEventStream(head.headers))
      handOver(connection, exchange, head);
    stop(connection, exchange, nonsense("Its chunks are not proper ones."));
  } else if (decoder.state.done) complete(connection, exchange, head);
  else if (!streamed && isShort(head)) expectWithin(exchange, exchange.outgoing.timeouts.idle_ms);
  else if (!streamed) handOver(connection, exchange, head);
}

const isShort = ({ framing, headers }: ReplyHead): boolean =>
  framing.kind === "length" && framing.length <= WHOLE_BYTES && !isEventStream(headers);

/** The head and what has come of the body; the rest follows as it comes. */
function handOver(connection: Connection, exchange: Exchange, head: ReplyHead): void {
  const { socket } = connection;
  exchange.due = Number.POSITIVE_INFINITY;
  const streamed = streamedReply(
    head,
    {
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      stop: (error) => stop(connection, exchange, error),
    },
    exchange.outgoing.timeouts.idle_ms,
  );
  exchange.streamed = streamed;
  for (const chunk of exchange.chunks) streamed.push(chunk);
  exchange.answered.resolve(streamed.reply);
}

function complete(connection: Connection, exchange: Exchange, head: ReplyHead): void {
  const { decoder, chunks, streamed } = exchange;
  if (streamed) streamed.end();
  else exchange.answered.resolve(wholeReply(head, joined(chunks)));
  leave(connection, exchange);
  if (head.reusable && exchange.sent && !decoder?.state.surplus)
    connection.onFree(connection, head);
  else connection.socket.terminate();
}

const joined = (chunks: Bytes[]): Bytes =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);

function leave(connection: Connection, exchange: Exchange): void {
  connection.exchange = undefined;
  connection.unsent = [];
  connection.onTaken = undefined;
  if (!exchange.sent) exchange.source?.cancel().catch(() => {}); // nobody takes the rest
}
