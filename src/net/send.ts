/** The only way out: sends a request to an upstream, at an address that may be dialled. */
import { isIP } from "node:net";
import { AppError } from "../contract/errors.ts";
import { canonicalHost } from "./address-guard.ts";
import { type AddressFinder, createAddressFinder } from "./find-address.ts";
import { headWait } from "./head-wait.ts";
import { asUpstreamError } from "./upstream-error.ts";
import { watchUpload } from "./watch-upload.ts";

export interface OutboundRequest {
  url: string;
  method: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** A stream that was never read is untouched after `upstream_unreachable`: it can be sent elsewhere. */
  body?: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** Of a stream. Without it the body goes out chunked, which not every upstream takes. */
  content_length?: number;
  allow_private: boolean;
  /** Aborting it also ends an answer that is still streaming. */
  signal?: AbortSignal;
  timeouts: {
    /** From the end of the request to the head of the answer. From a minute on, `idle_ms` ends it too. */
    headers_ms: number;
    /** Longest silence on the connection in either direction. Coarse: up to 8 s late. */
    idle_ms: number;
  };
}

export type Send = (request: OutboundRequest) => Promise<Response>;

export interface SendOptions {
  addresses?: AddressFinder;
  /** Certificate authorities (PEM) to trust instead of the built-in ones. */
  ca?: string;
}

export function createSend({ addresses = createAddressFinder(), ca }: SendOptions = {}): Send {
  const placeOf = readPlaces();
  return async (request) => {
    const { timeouts, signal, allow_private } = request;
    const place = placeOf(request.url);
    const { protocol, hostname, port } = place;
    const target = { hostname, port, allow_private };
    const found = addresses.find(target);
    const address = typeof found === "string" ? found : await found;
    if (signal?.aborted) throw asUpstreamError(signal.reason);

    const streamed = request.body instanceof ReadableStream ? request.body : undefined;
    // Bun's own idle timer ends a long wait too, up to 8 s late: close enough there, and 11 µs cheaper
    // for every request.
    const short = timeouts.headers_ms < PRECISE_BELOW_MS;
    const wait = streamed || short ? headWait(signal, timeouts.headers_ms) : undefined;
    const upload = streamed && watchUpload(streamed, () => wait?.begin());
    if (!upload) wait?.begin();

    try {
      // The name stands in Host and in the certificate check, the checked address in the URL: between
      // check and dial there is no second resolution that could lead elsewhere (DNS rebinding).
      const reply = await fetch(
        `${protocol}//${hostPart(address)}:${port}${request.url.slice(place.length) || "/"}`,
        {
          method: request.method,
          headers: outboundHeaders(request, place.host),
          body: upload?.stream ?? request.body ?? null,
          signal: wait?.signal ?? signal ?? null,
          timeout: timeouts.idle_ms,
          redirect: "manual",
          decompress: false,
          ...(protocol === "https:" && { tls: tlsOptions(hostname, ca) }),
        },
      );
      wait?.end(false);
      return reply;
    } catch (thrown) {
      wait?.end(true);
      const error = upload?.fault(thrown) ?? asUpstreamError(thrown);
      if (error.code === "upstream_unreachable" || error.code === "upstream_timeout") {
        addresses.forget(target);
      }
      throw error;
    }
  };
}

const PRECISE_BELOW_MS = 60_000;

interface Place {
  protocol: string;
  hostname: string;
  port: number;
  /** As the Host header says it. */
  host: string;
  /** How much of the URL names the place; the rest is path and query. */
  length: number;
}

const MOST_PLACES = 1000;

/** A few places are asked over and over; parsing their URL each time cost more than the rest of a call. */
function readPlaces(): (url: string) => Place {
  const known = new Map<string, Place>();
  return (url) => {
    const slash = url.indexOf("/", url.indexOf("//") + 2);
    const origin = slash < 0 ? url : url.slice(0, slash);
    const seen = known.get(origin);
    if (seen) return seen;
    const { protocol, hostname, host, port } = new URL(origin);
    // fetch would also read file:, data: and s3: addresses.
    if (protocol !== "https:" && protocol !== "http:") {
      throw new AppError("upstream_address_refused");
    }
    const fallback = protocol === "https:" ? 443 : 80;
    const place = {
      protocol,
      hostname,
      host,
      port: Number(port) || fallback,
      length: origin.length,
    };
    if (known.size >= MOST_PLACES) known.clear();
    known.set(origin, place);
    return place;
  };
}

function outboundHeaders(
  { headers, body, content_length }: OutboundRequest,
  host: string,
): Record<string, string> {
  const outbound: Record<string, string> = {
    "user-agent": "portcullis",
    // The answer is passed on undecoded to a client whose own wishes never reached the upstream.
    "accept-encoding": "identity",
    ...headers,
    host,
  };
  if (body instanceof ReadableStream && content_length !== undefined) {
    outbound["content-length"] = String(content_length);
  }
  return outbound;
}

function hostPart(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** Said in full, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn the check off. */
function tlsOptions(hostname: string, ca: string | undefined) {
  const name = canonicalHost(hostname) ?? hostname;
  return {
    rejectUnauthorized: true,
    ...(isIP(name) === 0 && { serverName: name }),
    ...(ca !== undefined && { ca }),
  };
}
