/** An upstream's answer, opened far enough to know that it can be passed on. */
import type { RegistryLive } from "./live-state.ts";
import { type Reading, readUnlessSilent } from "./silence.ts";
import { within } from "./upload.ts";

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
  if (!first) return { kind: "whole", bytes: new Uint8Array(0) };
  return { kind: "stream", first, events, ...reading };
}

export function isEventStream(headers: Headers): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}
