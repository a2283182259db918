/** Sends the request to one registry and records the outcome for its circuit breaker and load balancing. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { count, statusClass } from "../../lib/metrics.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import type { ReplyHeaders } from "../../net/http/read-header-block.ts";
import { createWholeReply, type Reply } from "../../net/http/reply.ts";
import type { OutboundRequest } from "../../net/send.ts";
import { toUpstreamError } from "../../net/to-upstream-error.ts";
import type { ProviderOperation } from "../../providers/provider.ts";
import { sendToRegistry } from "../../send-to-registry.ts";
import type { RegistryView } from "../../snapshot/snapshot.ts";
import { getLiveState, getRegistryState, type RegistryState } from "../live-state.ts";
import { maskKey } from "../mask-key.ts";
import { roundToTenths, type UpstreamAttempt } from "../request-progress.ts";
import type { Candidate } from "../routing/evaluate-registry.ts";
import { recordLatency } from "../routing/record-latency.ts";
import {
  BUSY_STATUSES,
  recordNoOutcome,
  recordOutcome,
  recordSent,
} from "../routing/registry-health.ts";
import type { RoutedRequest } from "../stages.ts";
import { buildUpstreamRequest, readMemberValues } from "./build-upstream-request.ts";
import { readUpstreamError } from "./read-upstream-error.ts";
import type { Translation } from "./translate-attempt.ts";
import { isShortDownload, openReplyBody, readReply, type UpstreamReply } from "./upstream-reply.ts";

/** Waits for the first byte of the body if `peek`. Throws every failure as an AppError. */
export async function sendAttempt(
  deps: Deps,
  routed: RoutedRequest,
  candidate: Candidate,
  { peek, translation }: { peek: boolean; translation: Translation | undefined },
): Promise<UpstreamReply> {
  const registry = getRegistryState(getLiveState(deps), candidate.registry);
  const startedAt = elapsedMs();
  recordSent(registry);
  registry.in_flight += 1;
  let sent: Reply | undefined;
  try {
    const outgoing = buildUpstreamRequest(deps, routed, candidate, translation);
    sent = await sendToRegistry(deps, candidate.registry, outgoing);
    checkStatus(sent);
    const operation = candidate.registry.provider.operations[candidate.capability];
    let reply = sent;
    if (translation) reply = await translation.translateReply(sent);
    else if (operation?.reply) reply = await rewriteReply(sent, routed, operation);
    if (routed.endpoint.download && isShortDownload(sent)) {
      reply = createWholeReply(sent, await readReply(sent));
    }
    const opened = openReplyBody(reply, peek);
    let body = opened instanceof Promise ? await opened : opened;
    let message: string | null = null;
    if (reply.status >= 400) {
      body = maskCredential(body, candidate.registry, outgoing);
      message = readErrorMessage(body, reply.headers, routed);
    }
    count(registry.outcomes, statusClass(reply.status));
    const attempt = recordAttempt(deps, routed, registry, { startedAt, reply, message });
    return {
      status: reply.status,
      headers: reply.headers,
      body,
      registry,
      attempt,
      translation,
      close: createClose(registry, body),
    };
  } catch (thrown) {
    registry.in_flight -= 1;
    const error = routed.request.signal.aborted
      ? new AppError("client_closed", undefined, { cause: thrown })
      : toUpstreamError(thrown);
    count(registry.outcomes, error.code);
    const { message } = error;
    recordAttempt(deps, routed, registry, { startedAt, reply: sent, error, message });
    throw error;
  }
}

function maskCredential(
  body: UpstreamReply["body"],
  { upstream: { api_key, identity } }: RegistryView,
  { headers }: OutboundRequest,
): UpstreamReply["body"] {
  const token = headers["x-amz-security-token"] ?? headers.authorization?.replace(/^Bearer /, "");
  const secret = identity ? token : api_key;
  return secret ? maskKey(body, secret) : body;
}

function readErrorMessage(
  body: UpstreamReply["body"],
  headers: ReplyHeaders,
  { consumer }: RoutedRequest,
): string | null {
  if (body.kind === "whole") {
    return readUpstreamError(body.bytes, headers, { membersOnly: consumer.guard !== null });
  }
  // The first chunk may end within the key, unless it is a complete JSON error.
  return readUpstreamError(body.first, headers, { membersOnly: true });
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
  // Redirects are not followed: that would send the registry's credential to another host.
  const isRedirect = status >= 300 && status < 400;
  if (!isRedirect && status >= 200 && status <= 599) return;
  reply.cancel();
  const text = isRedirect ? "The upstream responded with a redirect." : undefined;
  throw new AppError("upstream_failed", text);
}

/** Converts the provider's format to the reference format where they differ. */
async function rewriteReply(
  reply: Reply,
  { body }: RoutedRequest,
  operation: ProviderOperation,
): Promise<Reply> {
  const { status, headers } = reply;
  if (!operation.reply || status >= 300 || body.kind !== "json" || !isJson(headers)) return reply;
  const members = readMemberValues(body.members, operation.members ?? []);
  const changed = operation.reply({ headers, bytes: await readReply(reply) }, members);
  const merged = new Map([...headers.entries(), ...changed.headers.entries()]);
  return createWholeReply({ status, headers: merged }, changed.bytes);
}

const isJson = (headers: ReplyHeaders): boolean => /json/i.test(headers.get("content-type") ?? "");

interface AttemptOutcome extends Pick<UpstreamAttempt, "message"> {
  startedAt: number;
  reply: Reply | undefined;
  error?: AppError;
}

function recordAttempt(
  deps: Deps,
  { progress }: RoutedRequest,
  registry: RegistryState,
  { startedAt, reply, error, message }: AttemptOutcome,
): UpstreamAttempt {
  const now = elapsedMs();
  const attempt: UpstreamAttempt = {
    registry_id: registry.view.id,
    status: reply?.status ?? null,
    error: error?.code ?? null,
    message,
    ms: roundToTenths(now - startedAt),
  };
  progress.attempts.push(attempt);
  // An error of the client does not count for the registry.
  if (error && !isUpstreamError(error)) {
    recordNoOutcome(registry);
    return attempt;
  }
  const isBusy = reply && BUSY_STATUSES.includes(reply.status);
  const retryAfter = isBusy ? reply.headers.get("retry-after") : undefined;
  const retry_after_ms = retryAfter ? parseRetryAfterMs(retryAfter, deps.now().getTime()) : 0;
  recordOutcome(registry, { status: error ? undefined : reply?.status, retry_after_ms }, now);
  if (reply && !error) recordLatency(registry, now - startedAt, now);
  return attempt;
}

export const isUpstreamError = ({ code }: AppError): boolean =>
  code.startsWith("upstream_") || code === "provider_credential_error";

/** Parses Retry-After in seconds or as a date; returns 0 for any other value. */
function parseRetryAfterMs(retryAfter: string, now: number): number {
  const seconds = Number(retryAfter);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - now;
  return ms > 0 ? ms : 0;
}
