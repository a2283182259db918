/** Sends the request upstream, with failover to the next candidate if a retry is safe (spec 1.2). */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { getByteReservation } from "../body/open-upload.ts";
import { BUSY_STATUSES } from "../routing/registry-health.ts";
import type { ForwardedRequest, RoutedRequest } from "../stages.ts";
import { getSentModel } from "./build-upstream-request.ts";
import { isUpstreamError, sendAttempt } from "./send-attempt.ts";
import { type Translation, translateAttempt } from "./translate-attempt.ts";

export async function forwardRequest(deps: Deps, routed: RoutedRequest): Promise<ForwardedRequest> {
  const { candidates, consumer, progress } = routed;
  // From now on: an upload or an approval may have taken longer.
  const deadline = elapsedMs() + consumer.failover.max_total_ms;
  let forwarded: ForwardedRequest | undefined;
  let failure: AppError | undefined;
  let failures = 0;
  for (const [index, candidate] of candidates.entries()) {
    if (failures > 0) await Bun.sleep(pickBackoffMs(failures, deps.random));
    if (index > 0 && elapsedMs() > deadline) break;
    const hasNext = index + 1 < candidates.length && failures + 1 < consumer.failover.max_attempts;
    const peek = hasNext && maySendAgain(routed, "upstream_failed");
    let translation: Translation | undefined;
    try {
      translation = translateAttempt(deps, routed, candidate);
    } catch (thrown) {
      // Not an attempt: another candidate may support what this one's format cannot express.
      failure ??= AppError.from(thrown);
      continue;
    }
    try {
      // The exchange itself detects an abort during the first attempt. After a guard or before a retry, the client may
      // have disconnected already: the upstream would bill a request of no client.
      const hasWaited = index > 0 || consumer.guard !== null;
      if (hasWaited && routed.request.signal.aborted) throw new AppError("client_closed");
      const reply = await sendAttempt(deps, routed, candidate, { peek, translation });
      forwarded = selectReply(forwarded, { ...routed, candidate, reply });
      if (isElsewhere(routed, reply.status)) continue;
      if (!isFailureStatus(reply.status) || !hasNext || !maySendAgain(routed, reply.status)) break;
    } catch (thrown) {
      failure = AppError.from(thrown);
      if (!isUpstreamError(failure)) {
        forwarded?.reply.close();
        throw failure;
      }
      if (!hasNext || !maySendAgain(routed, failure.code)) break;
    }
    failures += 1;
  }
  // The error response of one upstream is more useful than the connection error of another.
  if (!forwarded) throw failure ?? new AppError("upstream_failed");
  progress.cleanups.push(forwarded.reply.close);
  progress.model_sent = getSentModel(routed, forwarded.candidate);
  const { body } = forwarded.reply;
  if (body.kind === "whole" && body.bytes.length > MAX_UNCOUNTED_BYTES) {
    getByteReservation(deps, routed).add(body.bytes.length);
  }
  return forwarded;
}

/** The memory of a larger response, which was translated or rewritten, counts until the request ends. */
const MAX_UNCOUNTED_BYTES = 256 * 1024;

/** Returns whether another registry may have the object. It is not a failure of this one. */
const isElsewhere = ({ elsewhere_statuses, body }: RoutedRequest, status: number): boolean =>
  elsewhere_statuses.includes(status) && !(body.kind === "form" && body.isConsumed());

const isFailureStatus = (status: number): boolean =>
  status === 408 || status === 429 || status >= 500;

/** Outcomes after which the upstream has not processed the request: a retry cannot bill or upload twice. */
const UNPROCESSED: readonly (number | string)[] = [
  ...BUSY_STATUSES,
  "upstream_unreachable",
  "upstream_address_refused",
  "provider_credential_error",
];

function maySendAgain(
  { consumer, request, endpoint, body }: RoutedRequest,
  after: number | string,
): boolean {
  if (!consumer.failover.enabled) return false;
  if (body.kind === "form" && body.isConsumed()) return false;
  const isRepeatable = request.method !== "POST" || endpoint.repeatable;
  return isRepeatable || consumer.failover.resend_billable || UNPROCESSED.includes(after);
}

/** Returns the later response, but prefers an earlier error over a 404. Closes the other one. */
function selectReply(
  earlier: ForwardedRequest | undefined,
  later: ForwardedRequest,
): ForwardedRequest {
  const keepsEarlier = earlier && later.reply.status === 404 && earlier.reply.status !== 404;
  const [selected, other] = keepsEarlier ? [earlier, later] : [later, earlier];
  other?.reply.close();
  return selected;
}

const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1000;

/** Exponential backoff with full jitter, so that retries do not arrive at the next registry at once. */
function pickBackoffMs(failures: number, random: () => number): number {
  return random() * Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS);
}
