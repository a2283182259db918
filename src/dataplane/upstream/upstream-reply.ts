/** Response of an upstream, opened far enough to know that it can be relayed. */
import { AppError } from "../../contract/errors.ts";
import { createSizeCap, type OnBytes } from "../../lib/streams/capped-body.ts";
import { isEventStream, type ReplyHeaders } from "../../net/http/read-header-block.ts";
import type { Bytes, Reply } from "../../net/http/reply.ts";
import { readReplyBytes } from "../../net/read-reply-bytes.ts";
import type { RegistryState } from "../live-state.ts";
import type { UpstreamAttempt } from "../request-progress.ts";
import type { Translation } from "./translate-attempt.ts";

export interface UpstreamReply {
  status: number;
  headers: ReplyHeaders;
  body: WholeBody | StreamedBody;
  registry: RegistryState;
  /** The recorded attempt that this is the response of. */
  attempt: UpstreamAttempt;
  /** Undefined if the bytes of the upstream are relayed unchanged. */
  translation: Pick<Translation, "usage"> | undefined;
  /** Ends the upstream call if it is still open. Idempotent. */
  close: () => void;
}

export interface WholeBody {
  kind: "whole";
  bytes: Bytes;
}

export interface StreamedBody extends Pick<Reply, "read" | "exclusive" | "cancel"> {
  kind: "stream";
  /** First chunk, if it was already read. */
  first: Bytes | undefined;
  /** Uncompressed server-sent events, to which an error event can be appended. */
  events: boolean;
}

/** Waits for the first chunk if `peek`: without one, the request can still be sent to another registry. */
export function openReplyBody(
  reply: Reply,
  peek: boolean,
): UpstreamReply["body"] | Promise<UpstreamReply["body"]> {
  const { read, exclusive, cancel, headers } = reply;
  const events = isEventStream(headers) && headers.get("content-encoding") === undefined;
  if (reply.whole && !events) return { kind: "whole", bytes: reply.whole };
  const streamed = { kind: "stream", first: undefined, events, read, exclusive, cancel } as const;
  if (!peek) return streamed;
  return read().then((first) =>
    first || events ? { ...streamed, first } : { kind: "whole", bytes: new Uint8Array(0) },
  );
}

/** Bun.serve drops the Content-Length of a streamed response, so a short download is read whole to keep it. */
const MAX_SHORT_DOWNLOAD_BYTES = 256 * 1024;

export const isShortDownload = ({ headers }: Reply): boolean =>
  Number(headers.get("content-length") ?? Number.NaN) <= MAX_SHORT_DOWNLOAD_BYTES;

const MAX_REWRITTEN_BYTES = 64 * 1024 * 1024;

/** Reads a whole response that is rewritten, up to a size cap. */
export async function readReply(reply: Reply, maxBytes = MAX_REWRITTEN_BYTES): Promise<Bytes> {
  const tooLarge = () =>
    new AppError("upstream_failed", "The upstream's response is too large to be rewritten.");
  return await readReplyBytes(reply, createSizeCap(maxBytes, tooLarge));
}

/** Returns the whole of an opened body; `onBytes` caps a streamed one. */
export async function readWholeBody(body: UpstreamReply["body"], onBytes: OnBytes): Promise<Bytes> {
  if (body.kind === "whole") return body.bytes;
  let { first } = body;
  const read = async () => {
    const chunk = first ?? (await body.read());
    first = undefined;
    return chunk;
  };
  return await readReplyBytes({ read, cancel: body.cancel }, onBytes);
}
