/** Sends the request to one registry and notes how that registry did. */
import { AppError } from "../contract/errors.ts";
import type { Capability } from "../contract/registries.ts";
import type { Deps } from "../deps.ts";
import { count, statusClass } from "../lib/metrics.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import type { ReplyHeaders } from "../net/http/read-header-block.ts";
import { createWholeReply, type Reply } from "../net/http/reply.ts";
import { toUpstreamError } from "../net/to-upstream-error.ts";
import type { ProviderOperation } from "../providers/provider.ts";
import { buildUpstreamRequest, readMemberValues } from "./build-upstream-request.ts";
import type { Candidate } from "./choose-registries.ts";
import { getLiveState, getRegistryState, type RegistryState } from "./live-state.ts";
import { BUSY_STATUSES, recordNoOutcome, recordOutcome, recordSent } from "./registry-health.ts";
import { roundToTenths } from "./request-progress.ts";
import type { RoutedRequest } from "./stages.ts";
import { isShortDownload, openReplyBody, readReply, type UpstreamReply } from "./upstream-reply.ts";

/** `peek`: the answer's first byte is waited for. Throws what an upstream did, as an AppError. */
export async function sendAttempt(
  deps: Deps,
  routed: RoutedRequest,
  candidate: Candidate,
  how: { capability: Capability; peek: boolean },
): Promise<UpstreamReply> {
  const registry = getRegistryState(getLiveState(deps), candidate.registry);
  const began = elapsedMs();
  recordSent(registry);
  registry.in_flight += 1;
  let sent: Reply | undefined;
  try {
    sent = await deps.send(buildUpstreamRequest(deps, routed, candidate, how.capability));
    checkStatus(sent);
    const operation = candidate.registry.provider.operations[how.capability];
    let reply = sent;
    if (operation?.reply) reply = await rewriteReply(sent, routed, operation);
    if (routed.endpoint.download && isShortDownload(sent))
      reply = createWholeReply(sent, await readReply(sent));
    const opened = openReplyBody(reply, how.peek);
    const body = opened instanceof Promise ? await opened : opened;
    count(registry.outcomes, statusClass(reply.status));
    recordAttempt(deps, routed, registry, { began, reply });
    return {
      status: reply.status,
      headers: reply.headers,
      body,
      registry,
      close: createClose(registry, body),
    };
  } catch (thrown) {
    registry.in_flight -= 1;
    const left = routed.request.signal.aborted;
    const error = left
      ? new AppError("client_closed", undefined, { cause: thrown })
      : toUpstreamError(thrown);
    count(registry.outcomes, error.code);
    recordAttempt(deps, routed, registry, { began, reply: sent, error });
    throw error;
  }
}

function createClose(registry: RegistryState, body: UpstreamReply["body"]): () => void {
  let closed = false;
  return () => {
    if (closed) return;
    closed = true;
    registry.in_flight -= 1;
    if (body.kind === "stream") body.cancel();
  };
}

function checkStatus(reply: Reply): void {
  const { status } = reply;
  // Followed, a redirect would carry the registry's credential to a host nobody chose.
  const redirected = status >= 300 && status < 400;
  if (!redirected && status >= 200 && status <= 599) return;
  reply.cancel();
  const text = redirected ? "The upstream forwarded with a redirect." : undefined;
  throw new AppError("upstream_failed", text);
}

/** In the reference shape, where the provider's own is another. */
async function rewriteReply(
  reply: Reply,
  { body }: RoutedRequest,
  operation: ProviderOperation,
): Promise<Reply> {
  const { status, headers } = reply;
  if (!operation.reply || status >= 300 || body.kind !== "json" || !isJson(headers)) return reply;
  const members = readMemberValues(body.members, operation.members ?? []);
  const changed = operation.reply({ headers, bytes: await readReply(reply) }, members);
  return createWholeReply({ status, headers: changed.headers }, changed.bytes);
}

const isJson = (headers: ReplyHeaders): boolean => /json/i.test(headers.get("content-type") ?? "");

function recordAttempt(
  deps: Deps,
  { progress }: RoutedRequest,
  registry: RegistryState,
  { began, reply, error }: { began: number; reply: Reply | undefined; error?: AppError },
): void {
  const now = elapsedMs();
  progress.attempts.push({
    registry_id: registry.view.id,
    status: reply?.status ?? null,
    error: error?.code ?? null,
    ms: roundToTenths(now - began),
  });
  // The client's own fault says nothing about the registry.
  if (error && !isUpstreamError(error)) {
    recordNoOutcome(registry);
    return;
  }
  const busy = reply && BUSY_STATUSES.includes(reply.status);
  const retryAfter = busy ? reply.headers.get("retry-after") : undefined;
  const retry_after_ms = retryAfter ? parseRetryAfterMs(retryAfter, deps.now().getTime()) : 0;
  recordOutcome(registry, { status: error ? undefined : reply?.status, retry_after_ms }, now);
  if (reply && !error) recordLatency(registry, now - began, now);
}

export const isUpstreamError = ({ code }: AppError): boolean => code.startsWith("upstream_");

/** Seconds or a date; anything else asks for nothing. */
function parseRetryAfterMs(retryAfter: string, now: number): number {
  const seconds = Number(retryAfter);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - now;
  return ms > 0 ? ms : 0;
}

const LATENCY_DECAY_MS = 10_000;

/** Peak-sensitive: a slow answer counts at once, and is forgotten over some seconds. */
function recordLatency(registry: RegistryState, sample: number, now: number): void {
  const age = now - registry.latency_at;
  const kept = Math.exp(-age / LATENCY_DECAY_MS);
  registry.latency_ms =
    sample > registry.latency_ms ? sample : registry.latency_ms * kept + sample * (1 - kept);
  registry.latency_at = now;
}
