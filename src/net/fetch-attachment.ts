/** Fetches an attachment by URL, from public addresses only (spec 4.3.5). */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { AppError, type ErrorCode } from "../contract/errors.ts";
import { createSizeCap } from "../lib/streams/capped-body.ts";
import type { Reply } from "./http/reply.ts";
import { readReplyBytes } from "./read-reply-bytes.ts";
import type { Send } from "./send.ts";
import { toUpstreamError } from "./to-upstream-error.ts";

export interface FetchedAttachment {
  bytes: Uint8Array;
  /** Content type from the server; null if missing. */
  content_type: string | null;
}

export interface AttachmentLimits {
  /** Total time for all redirects, from the first DNS lookup to the last byte. */
  total_ms: number;
  bytes: number;
  redirects: number;
  /** Ends the request. */
  signal?: AbortSignal;
}

export const ATTACHMENT_LIMITS: AttachmentLimits = {
  total_ms: 10_000,
  bytes: 20 * 1024 * 1024,
  redirects: 3,
};

/** Throws an AppError with the reason, without the URL, which may contain a signature. */
export async function fetchAttachment(
  send: Send,
  url: string,
  limits: AttachmentLimits = ATTACHMENT_LIMITS,
): Promise<FetchedAttachment> {
  const late = AbortSignal.timeout(limits.total_ms);
  const signal = limits.signal ? AbortSignal.any([late, limits.signal]) : late;
  try {
    return await followRedirects(send, url, limits, signal);
  } catch (thrown) {
    const error = toUpstreamError(thrown);
    throw new AppError(error.code, ATTACHMENT_MESSAGES[error.code] ?? error.message, {
      cause: error,
    });
  }
}

/** More than signed URLs need. Parsing a URL of many megabytes would block other requests. */
const MAX_URL_CHARACTERS = 8192;

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

async function followRedirects(
  send: Send,
  url: string,
  limits: AttachmentLimits,
  signal: AbortSignal,
) {
  let hop = parseAttachmentUrl(url);
  for (let redirects = 0; redirects <= limits.redirects; redirects++) {
    const reply = await send({
      url: hop.href,
      method: "GET",
      headers: {},
      allow_private: false,
      signal,
      timeouts: { headers_ms: limits.total_ms, idle_ms: limits.total_ms },
    });
    const location = reply.headers.get("location");
    if (REDIRECT_STATUSES.has(reply.status) && location !== undefined) {
      reply.cancel();
      hop = parseAttachmentUrl(location, hop);
      continue;
    }
    if (reply.status !== 200) {
      reply.cancel();
      throw new AppError("upstream_failed", `The attachment's server returned ${reply.status}.`);
    }
    const bytes = await decodeBody(reply, await readCappedBody(reply, limits.bytes), limits.bytes);
    return { bytes, content_type: reply.headers.get("content-type") ?? null };
  }
  throw new AppError(
    "upstream_failed",
    `The attachment's URL redirects more than ${limits.redirects} times.`,
  );
}

/**
 * Parses and checks the URL; the parsed URL is also the one that is sent, so parsers cannot disagree. Ports below 1024
 * except 443 belong to other protocols, which a handshake could imitate.
 */
function parseAttachmentUrl(text: string, from?: URL): URL {
  if (text.length > MAX_URL_CHARACTERS) {
    throw new AppError(
      "invalid_request",
      `The attachment's URL is longer than ${MAX_URL_CHARACTERS} characters. Use a shorter one.`,
    );
  }
  const url = URL.parse(text, from);
  if (!url) throw new AppError("invalid_request", "The attachment's URL is invalid.");
  if (url.protocol !== "https:") {
    throw new AppError("invalid_request", "The attachment's URL must start with https://.");
  }
  if (url.username || url.password) {
    throw new AppError(
      "invalid_request",
      "The attachment's URL must not contain a user name or password.",
    );
  }
  if (url.port !== "" && Number(url.port) < 1024) {
    throw new AppError(
      "invalid_request",
      "The attachment's URL must not use a port below 1024 except 443.",
    );
  }
  url.hash = "";
  return url;
}

async function readCappedBody(reply: Reply, most: number): Promise<Uint8Array> {
  const declared = Number(reply.headers.get("content-length"));
  if (declared > most) {
    reply.cancel();
    throw tooLarge(most);
  }
  return await readReplyBytes(
    reply,
    createSizeCap(most, () => tooLarge(most)),
  );
}

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const DECODERS = new Map<string, Decode>([
  ["gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

/** Decompresses a body that is compressed although identity was requested, up to the same size limit. */
async function decodeBody(reply: Reply, bytes: Uint8Array, most: number): Promise<Uint8Array> {
  const encoding = reply.headers.get("content-encoding")?.trim().toLowerCase() || "identity";
  if (encoding === "identity") return bytes;
  const decode = DECODERS.get(encoding);
  if (!decode) {
    throw new AppError("upstream_failed", "The attachment has an unsupported content encoding.");
  }
  return decode(bytes, { maxOutputLength: most }).catch((cause: { code?: unknown }) => {
    throw cause.code === "ERR_BUFFER_TOO_LARGE"
      ? tooLarge(most)
      : new AppError("upstream_failed", "The attachment cannot be decompressed.", {
          cause,
        });
  });
}

const tooLarge = (most: number) =>
  new AppError("too_large", `The attachment is larger than ${most} bytes.`);

/** Messages for attachments instead of upstreams. */
const ATTACHMENT_MESSAGES: Partial<Record<ErrorCode, string>> = {
  upstream_address_refused: "The attachment's address is not public.",
  upstream_unreachable: "The attachment's server could not be reached.",
  upstream_timeout: "The attachment took too long to arrive.",
};
