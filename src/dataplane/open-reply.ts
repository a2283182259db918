/** An upstream's answer, opened far enough to know that it can be passed on. */
import { AppError } from "../contract/errors.ts";
import type { RegistryLive } from "./live-state.ts";
import { type Reading, readUnlessSilent } from "./silence.ts";
import { within } from "./within.ts";

export interface OpenReply {
  status: number;
  headers: Headers;
  body: WholeBody | StreamedBody;
  registry: RegistryLive;
  /** Ends the upstream call where it still runs. Any number of times. */
  close: () => void;
}

export interface WholeBody {
  kind: "whole";
  bytes: Uint8Array<ArrayBuffer>;
}

export interface StreamedBody extends Reading {
  kind: "stream";
  /** Read already, when it was waited for. */
  first: Uint8Array<ArrayBuffer> | undefined;
  /** Server-sent events: a break can be told inside the stream. */
  events: boolean;
}

/** A body of at most this length leaves in one write with its head, and may still fail over. */
const WHOLE_BYTES = 64 * 1024;

/** `peek`: wait for the first byte, because another registry may still be asked if none comes. */
export async function openBody(
  reply: Response,
  { peek, idle_ms }: { peek: boolean; idle_ms: number },
): Promise<OpenReply["body"]> {
  const events = isEventStream(reply.headers);
  const length = reply.headers.get("content-length");
  // Before `body` is touched: that makes a stream, and bytes() through it takes twice the time.
  if (length !== null && Number(length) <= WHOLE_BYTES && !events) {
    return { kind: "whole", bytes: await within(reply.bytes(), idle_ms, "upstream_timeout") };
  }
  if (!reply.body) return { kind: "whole", bytes: new Uint8Array(0) };
  const reading = readUnlessSilent(reply.body, idle_ms);
  if (!peek) return { kind: "stream", first: undefined, events, ...reading };
  const first = await reading.read();
  if (first) return { kind: "stream", first, events, ...reading };
  reading.cancel();
  return { kind: "whole", bytes: new Uint8Array(0) };
}

/** For answers that are rewritten: all of it, but not more than a sane upstream sends. */
export async function readAll(reply: Response, idle_ms: number): Promise<Response> {
  if (!reply.body) return reply;
  const bytes = await collect(readUnlessSilent(reply.body, idle_ms), MOST_REWRITTEN);
  if (bytes) return new Response(bytes, { status: reply.status, headers: reply.headers });
  throw new AppError("upstream_failed", "The upstream's answer is too large to be rewritten.");
}

const MOST_REWRITTEN = 64 * 1024 * 1024;

/** All of an opened body; undefined when it is longer than `most`. */
export async function wholeOf(
  body: OpenReply["body"],
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return body.kind === "whole" ? body.bytes : await collect(body, most, body.first);
}

async function collect(
  reading: Reading,
  most: number,
  first?: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = first ?? (await reading.read()); chunk; chunk = await reading.read()) {
    size += chunk.length;
    chunks.push(chunk);
    if (size > most) break;
  }
  reading.cancel();
  return size > most ? undefined : Buffer.concat(chunks);
}

export function isEventStream(headers: Headers): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}
