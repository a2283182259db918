/** Sends the request upstream, and on to the next registry where that is safe (spec 1.2). */
import { AppError } from "../contract/errors.ts";
import type { Capability } from "../contract/registries.ts";
import type { Deps } from "../deps.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import { attempt, isUpstreams } from "./attempt.ts";
import { BUSY } from "./health.ts";
import { sentModel } from "./outbound.ts";
import type { ForwardedRequest, RoutedRequest } from "./stages.ts";

export async function forward(
  deps: Deps,
  chosen: RoutedRequest,
  capability: Capability,
): Promise<ForwardedRequest> {
  const { candidates, consumer, run } = chosen;
  const deadline = run.began + consumer.failover.max_total_ms;
  let answered: ForwardedRequest | undefined;
  let failure: AppError | undefined;
  let failures = 0;
  for (const [index, candidate] of candidates.entries()) {
    if (failures > 0) await Bun.sleep(backOffMs(failures, deps.random));
    if (index > 0 && elapsedMs() > deadline) break;
    const another = index + 1 < candidates.length && failures + 1 < consumer.failover.max_attempts;
    const peek = another && maySend(chosen, "upstream_failed");
    try {
      // Of the first attempt the watch over exchanges takes care; another one would bill for nobody.
      if (index > 0 && chosen.request.signal.aborted) throw new AppError("client_closed");
      const reply = await attempt(deps, chosen, candidate, { capability, peek });
      answered = better(answered, { ...chosen, candidate, reply });
      if (isElsewhere(chosen, reply.status)) continue;
      if (!isFailure(reply.status) || !another || !maySend(chosen, reply.status)) break;
    } catch (thrown) {
      failure = AppError.from(thrown);
      if (!isUpstreams(failure)) {
        answered?.reply.close();
        throw failure;
      }
      if (!another || !maySend(chosen, failure.code)) break;
    }
    failures += 1;
  }
  // An upstream's own words say more than that another one was out of reach.
  if (!answered) throw failure ?? new AppError("upstream_failed");
  run.releases.push(answered.reply.close);
  run.model_sent = sentModel(chosen, answered.candidate, capability);
  return answered;
}

/** The file is not at this registry: another one may have it. A search, not a failure. */
const isElsewhere = ({ item }: RoutedRequest, status: number): boolean =>
  item !== undefined && status === 404;

const isFailure = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** After these the upstream certainly did nothing: sending again cannot bill or upload twice. */
const UNTOUCHED: readonly (number | string)[] = [
  ...BUSY,
  "upstream_unreachable",
  "upstream_address_refused",
];

function maySend({ consumer, request, body }: RoutedRequest, after: number | string): boolean {
  if (!consumer.failover.enabled) return false;
  if (body.kind === "form" && body.spent()) return false;
  const repeatable = request.method !== "POST" || consumer.failover.resend_billable;
  return repeatable || UNTOUCHED.includes(after);
}

/** The last answer is the one relayed; but "not here" does not outweigh "I could not look". */
function better(earlier: ForwardedRequest | undefined, later: ForwardedRequest): ForwardedRequest {
  const keep = earlier && later.reply.status === 404 && earlier.reply.status !== 404;
  const [kept, dropped] = keep ? [earlier, later] : [later, earlier];
  dropped?.reply.close();
  return kept;
}

const FIRST_BACK_OFF_MS = 50;
const LONGEST_BACK_OFF_MS = 1000;

/** Full jitter, so that the requests of a failed registry do not arrive at the next one together. */
function backOffMs(failures: number, random: () => number): number {
  return random() * Math.min(FIRST_BACK_OFF_MS * 2 ** (failures - 1), LONGEST_BACK_OFF_MS);
}
