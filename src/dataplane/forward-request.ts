/** Sends the request upstream, and on to the next registry where that is safe (spec 1.2). */
import { AppError } from "../contract/errors.ts";
import type { Capability } from "../contract/registries.ts";
import type { Deps } from "../deps.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import { getSentModel } from "./build-upstream-request.ts";
import { BUSY_STATUSES } from "./registry-health.ts";
import { isUpstreamError, sendAttempt } from "./send-attempt.ts";
import type { ForwardedRequest, RoutedRequest } from "./stages.ts";

export async function forwardRequest(
  deps: Deps,
  routed: RoutedRequest,
  capability: Capability,
): Promise<ForwardedRequest> {
  const { candidates, consumer, progress } = routed;
  const deadline = progress.started_at + consumer.failover.max_total_ms;
  let forwarded: ForwardedRequest | undefined;
  let failure: AppError | undefined;
  let failures = 0;
  for (const [index, candidate] of candidates.entries()) {
    if (failures > 0) await Bun.sleep(pickBackoffMs(failures, deps.random));
    if (index > 0 && elapsedMs() > deadline) break;
    const another = index + 1 < candidates.length && failures + 1 < consumer.failover.max_attempts;
    const peek = another && maySendAgain(routed, "upstream_failed");
    try {
      // Of the first attempt the watch over exchanges takes care; another one would bill for nobody.
      if (index > 0 && routed.request.signal.aborted) throw new AppError("client_closed");
      const reply = await sendAttempt(deps, routed, candidate, { capability, peek });
      forwarded = selectReply(forwarded, { ...routed, candidate, reply });
      if (isFileElsewhere(routed, reply.status)) continue;
      if (!isFailureStatus(reply.status) || !another || !maySendAgain(routed, reply.status)) break;
    } catch (thrown) {
      failure = AppError.from(thrown);
      if (!isUpstreamError(failure)) {
        forwarded?.reply.close();
        throw failure;
      }
      if (!another || !maySendAgain(routed, failure.code)) break;
    }
    failures += 1;
  }
  // An upstream's own words say more than that another one was out of reach.
  if (!forwarded) throw failure ?? new AppError("upstream_failed");
  progress.cleanups.push(forwarded.reply.close);
  progress.model_sent = getSentModel(routed, forwarded.candidate, capability);
  return forwarded;
}

/** The file is not at this registry: another one may have it. A search, not a failure. */
const isFileElsewhere = ({ item }: RoutedRequest, status: number): boolean =>
  item !== undefined && status === 404;

const isFailureStatus = (status: number): boolean =>
  status === 408 || status === 429 || status >= 500;

/** After these the upstream certainly did nothing: sending again cannot bill or upload twice. */
const UNPROCESSED: readonly (number | string)[] = [
  ...BUSY_STATUSES,
  "upstream_unreachable",
  "upstream_address_refused",
];

function maySendAgain({ consumer, request, body }: RoutedRequest, after: number | string): boolean {
  if (!consumer.failover.enabled) return false;
  if (body.kind === "form" && body.spent()) return false;
  const repeatable = request.method !== "POST" || consumer.failover.resend_billable;
  return repeatable || UNPROCESSED.includes(after);
}

/** The last answer is the one relayed; but "not here" does not outweigh "I could not look". */
function selectReply(
  earlier: ForwardedRequest | undefined,
  later: ForwardedRequest,
): ForwardedRequest {
  const keep = earlier && later.reply.status === 404 && earlier.reply.status !== 404;
  const [kept, dropped] = keep ? [earlier, later] : [later, earlier];
  dropped?.reply.close();
  return kept;
}

const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1000;

/** Full jitter, so that the requests of a failed registry do not arrive at the next one together. */
function pickBackoffMs(failures: number, random: () => number): number {
  return random() * Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS);
}
