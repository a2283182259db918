/** Cached list of a registry's models. Requests that use it refresh it in the background. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { withTimeout } from "../../lib/time/with-timeout.ts";
import { toUpstreamError } from "../../net/to-upstream-error.ts";
import type { ListedModel } from "../../providers/read-model-page.ts";
import type { RegistryView } from "../../snapshot/snapshot.ts";
import { fetchModelList } from "./fetch-model-list.ts";

export interface ModelList {
  /** Undefined until a fetch succeeds. A failed fetch keeps the models. */
  models: readonly ListedModel[] | undefined;
  /** Wall-clock milliseconds of the last attempt; 0 before the first. */
  fetched_at: number;
  /** Time until the next attempt. */
  delay_ms: number;
  /** Failed attempts since the last success. */
  failures: number;
  /** The fetch in progress, and its start on the monotonic clock. */
  running: { done: Promise<void>; started_at: number } | undefined;
}

export const createModelList = (): ModelList => ({
  models: undefined,
  fetched_at: 0,
  delay_ms: 0,
  failures: 0,
  running: undefined,
});

const REFRESH_MS = 10 * 60_000;
const FIRST_RETRY_MS = 15_000;
/** Maximum wait for the first list, from the start of its fetch. */
const FIRST_LIST_MS = 2_000;

/** Fetches the list if it is due. Returns a promise only if the caller should wait, for the first list. */
export function refreshModelList(
  deps: Deps,
  registry: RegistryView,
  list: ModelList,
): Promise<void> | undefined {
  // The absolute value: the wall clock may be set back.
  const isDue = Math.abs(deps.now().getTime() - list.fetched_at) >= list.delay_ms;
  if (isDue && !list.running) {
    list.running = { done: update(deps, registry, list), started_at: elapsedMs() };
  }
  const { running, models, failures } = list;
  if (!running || models || failures > 0) return undefined;
  const left = running.started_at + FIRST_LIST_MS - elapsedMs();
  if (left <= 0) return undefined;
  return withTimeout(running.done, left, () => new AppError("upstream_timeout")).catch(() => {});
}

/** Never throws: a failure is logged, and increases the delay. */
async function update(deps: Deps, registry: RegistryView, list: ModelList): Promise<void> {
  try {
    list.models = await fetchModelList(deps, registry);
    list.failures = 0;
    list.delay_ms = REFRESH_MS;
  } catch (thrown) {
    list.delay_ms = Math.min(FIRST_RETRY_MS * 2 ** list.failures, REFRESH_MS);
    list.failures += 1;
    const { code, message: reason } = toUpstreamError(thrown);
    const { id: registry_id, gateway_id } = registry;
    deps.log("model_list_failed", { level: "warn", gateway_id, registry_id, code, reason });
  }
  // Jitter, so that nodes that started together do not send their requests together.
  list.delay_ms *= 0.9 + 0.2 * deps.random();
  list.fetched_at = deps.now().getTime();
  list.running = undefined;
}
