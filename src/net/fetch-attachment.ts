/** Fetches an attachment that a payload names by URL, from nowhere but the public internet (spec 4.3.5). */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { AppError, type ErrorCode } from "../contract/errors.ts";
import { createSizeCap } from "../lib/streams/capped-body.ts";
import type { Reply } from "./http/reply.ts";
import { readBytes } from "./read-body.ts";
import type { Send } from "./send.ts";
import { toUpstreamError } from "./to-upstream-error.ts";

export interface FetchedAttachment {
  bytes: Uint8Array;
  /** As the server claims; null where it says nothing. */
  content_type: string | null;
}

export interface AttachmentLimits {
  /** For all hops together, from the first look-up to the last byte. */
  total_ms: number;
  bytes: number;
  redirects: number;
}

export const ATTACHMENT_LIMITS: AttachmentLimits = {
  total_ms: 10_000,
  bytes: 20 * 1024 * 1024,
  redirects: 3,
};

/** Throws an AppError whose message says why; never with the URL, which may carry a signature. */
export async function fetchAttachment(
  send: Send,
  url: string,
  limits: AttachmentLimits = ATTACHMENT_LIMITS,
): Promise<FetchedAttachment> {
  try {
    return await followRedirects(send, url, limits, AbortSignal.timeout(limits.total_ms));
  } catch (thrown) {
    const error = toUpstreamError(thrown);
    throw new AppError(error.code, ATTACHMENT_MESSAGES[error.code] ?? error.message, {
      cause: error,
    });
  }
}

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
      throw new AppError("upstream_failed", `The attachment's server answered ${reply.status}.`);
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
 * What is sent is what was parsed and checked here, so that no two readers of a URL can disagree.
 * Low ports but 443 belong to other protocols, which a handshake could be made to speak.
 */
function parseAttachmentUrl(text: string, from?: URL): URL {
  const url = URL.parse(text, from);
  if (!url) throw new AppError("invalid_request", "The attachment's URL is not a URL.");
  if (url.protocol !== "https:") {
    throw new AppError("invalid_request", "The attachment's URL does not begin with https://.");
  }
  if (url.username || url.password) {
    throw new AppError(
      "invalid_request",
      "The attachment's URL has a user name or password in it.",
    );
  }
  if (url.port !== "" && Number(url.port) < 1024) {
    throw new AppError("invalid_request", "The attachment's URL has a port below 1024 in it.");
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
  return await readBytes(
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

/** We ask for identity; a store may hold a file only compressed. A bomb stops at the same size. */
async function decodeBody(reply: Reply, bytes: Uint8Array, most: number): Promise<Uint8Array> {
  const encoding = reply.headers.get("content-encoding")?.trim().toLowerCase() || "identity";
  if (encoding === "identity") return bytes;
  const decode = DECODERS.get(encoding);
  if (!decode) {
    throw new AppError("upstream_failed", "The attachment came in an encoding we cannot undo.");
  }
  return decode(bytes, { maxOutputLength: most }).catch((cause: { code?: unknown }) => {
    throw cause.code === "ERR_BUFFER_TOO_LARGE"
      ? tooLarge(most)
      : new AppError("upstream_failed", "The attachment is not compressed as it claims.", {
          cause,
        });
  });
}

const tooLarge = (most: number) =>
  new AppError("too_large", `The attachment is larger than ${most} bytes.`);

/** The general texts speak of upstreams. */
const ATTACHMENT_MESSAGES: Partial<Record<ErrorCode, string>> = {
  upstream_address_refused: "The attachment's address is not a public one.",
  upstream_unreachable: "The attachment's server could not be reached.",
  upstream_timeout: "The attachment took too long to arrive.",
};
