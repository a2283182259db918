/** Ends the requests of a node at a shutdown: running ones may finish, until each deadline aborts the rest. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import type { Listener } from "./http/listen.ts";

/** Wait for incomplete request bodies: a slow client must not delay the shutdown by SHUTDOWN_TIMEOUT_S. */
const BODY_GRACE_MS = 2_000;
/** Time for requests that exceed SHUTDOWN_TIMEOUT_S to return their error. */
const ENDING_MS = 1_000;
/** Time until aborted requests are recorded. Their upstream calls end within 50 ms. */
const RECORD_GRACE_MS = 1_000;

/** Controllers of `bodyDeadline` and `responseDeadline`. */
export interface Deadlines {
  bodies: AbortController;
  responses: AbortController;
}

export async function endRequests(
  { settings, live }: Pick<Deps, "settings" | "live">,
  listening: Listener,
  { bodies, responses }: Deadlines,
): Promise<void> {
  const late = new AppError("shutting_down");
  const deadline = setTimeout(() => bodies.abort(late), BODY_GRACE_MS);
  listening.refuse();
  const isBusy = () => listening.isBusy() || live.late_evaluations.running > 0;
  await waitWhile(isBusy, settings.SHUTDOWN_TIMEOUT_S * 1000);
  clearTimeout(deadline);
  responses.abort(late);
  await waitWhile(isBusy, ENDING_MS);
  await listening.stop();
  await waitWhile(
    () => live.metrics.in_flight + live.late_evaluations.running > 0,
    RECORD_GRACE_MS,
  );
}

async function waitWhile(isBusy: () => boolean, timeoutMs: number): Promise<void> {
  const end = elapsedMs() + timeoutMs;
  while (isBusy() && elapsedMs() < end) await Bun.sleep(10);
}
