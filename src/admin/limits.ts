/** Operations on rate limits: lists and resets usage, lists and lifts blocks. */

import { z } from "zod";
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import {
  type LimitState,
  LimitType,
  liftBlock,
  listBlocks,
  listLimitState,
  resetLimitState,
} from "../contract/gateway/limits.ts";
import { recordChange } from "../db/record-change.ts";
import { blockedSubjectTable, NEVER_EXPIRES } from "../db/tables/blocked-subjects.ts";
import type { Deps } from "../deps.ts";
import { compileLimits, type LimitCounter } from "../plugins/rate-limiter/compile-limits.ts";
import type { SubjectUsage } from "../plugins/rate-limiter/counter.ts";
import type { StoreKind } from "../plugins/rate-limiter/counter-store.ts";
import { RateLimiterSettings } from "../plugins/rate-limiter/settings.ts";
import { rateLimiter } from "../plugins/rate-limiter.ts";
import { type Route, route } from "../route.ts";

export const limitRoutes: Route[] = [
  route(listLimitState, async (deps, { params, query }) => {
    const counters = countersAt(deps, params.gateway_id, query.type);
    const top: LimitState[] = [];
    let store: StoreKind = deps.settings.REDIS_URL ? "redis" : "memory";
    let complete = true;
    for (const counter of counters) {
      const found = await deps.limiter.store.listUsage(counter);
      store = found.store;
      complete &&= found.complete;
      await keepTop(top, toStates(deps, counter, found.items, query.search ?? ""), query.limit);
    }
    return { store, complete, note: describeStore(deps, store), items: top };
  }),
  route(resetLimitState, async (deps, call) => {
    const { gateway_id, subject } = call.params;
    const type = parseType(call.params.type);
    if (!hasCounts(deps))
      throw new AppError("conflict", describeStore(deps, "memory") ?? undefined);
    const spaces = countersAt(deps, gateway_id, type).map(({ space }) => space);
    const forgotten = await Promise.all(
      spaces.map((space) => deps.limiter.store.forget(space, subject)),
    );
    if (!forgotten.includes(true)) {
      throw new AppError("not_found", "This subject has no usage under that limit.");
    }
    await recordChange(deps, call, {
      resource: "limit_state",
      verb: "delete",
      id: `${type}:${subject}`,
      gateway_id,
      before: { type, subject },
      after: null,
    });
    return undefined;
  }),
  route(listBlocks, async (deps, { params, query }) => {
    const { gateway_id } = params;
    countersAt(deps, gateway_id, undefined);
    const range = { column: "ends_at", from: deps.now().toISOString(), to: undefined } as const;
    const page = { ...query, sort: undefined };
    const found = await blockedSubjectTable.page(deps.db, { gateway_id }, page, { range });
    const items = found.items.map((row) => ({
      ...row,
      ends_at: row.ends_at === NEVER_EXPIRES ? null : row.ends_at,
    }));
    return { items, next_cursor: found.next_cursor };
  }),
  route(liftBlock, async (deps, call) => {
    const { gateway_id, subject } = call.params;
    const type = parseType(call.params.type);
    const row = await blockedSubjectTable.find(deps.db, { gateway_id, type, subject });
    if (!row) throw new AppError("not_found", "This subject is not blocked.");
    await blockedSubjectTable.remove(deps.db, { id: row.id });
    await recordChange(deps, call, {
      resource: "limit_block",
      verb: "delete",
      id: `${type}:${subject}`,
      gateway_id,
      before: { ...row },
      after: null,
    });
    return undefined;
  }),
];

const parseType = (text: string): LimitType => decode(TypeParameter, { type: text }).type;
const TypeParameter = z.object({ type: LimitType });

/** Returns the counters in force at a gateway, all or those of a type. */
function countersAt(deps: Deps, gateway_id: string, type: LimitType | undefined): LimitCounter[] {
  const gateway = deps.snapshot().gateways.get(gateway_id);
  if (!gateway) throw new AppError("not_found", `Unknown gateway ${gateway_id}.`);
  const entries = gateway.plugins
    .filter(({ name }) => name === rateLimiter.name)
    .flatMap(({ settings }) => settings.map((each) => decode(RateLimiterSettings, each)));
  const { counters } = compileLimits(entries, gateway_id);
  return counters.filter((counter) => type === undefined || counter.type === type);
}

function* toStates(
  { now }: Deps,
  { type, limit, window }: LimitCounter,
  items: Iterable<SubjectUsage>,
  search: string,
): Generator<LimitState> {
  const nowMs = now().getTime();
  const text = search.toLowerCase();
  for (const { subject, used, frees_in_ms } of items) {
    if (!subject.toLowerCase().includes(text)) continue;
    const remaining = Math.max(0, limit - used);
    const reset_at = new Date(nowMs + frees_in_ms).toISOString();
    yield { type, subject, window, limit, used, remaining, reset_at };
  }
}

/** Merges states into `top`, and keeps the `max` with the highest usage. */
async function keepTop(top: LimitState[], states: Iterable<LimitState>, max: number) {
  const trim = () => {
    top.sort((one, other) => other.used / other.limit - one.used / one.limit);
    top.length = Math.min(top.length, max);
  };
  let count = 0;
  for (const state of states) {
    top.push(state);
    if (top.length >= 4 * max) trim();
    count += 1;
    // Yields to the data plane, because there may be a million states.
    if (count % 10_000 === 0) await Bun.sleep(0);
  }
  trim();
}

const hasCounts = ({ settings }: Deps): boolean =>
  settings.REDIS_URL !== undefined || settings.PORTCULLIS_PLANES.includes("gateway");

function describeStore(deps: Deps, store: StoreKind): string | null {
  if (!hasCounts(deps)) {
    return "This process does not serve the data plane. Without REDIS_URL, the counts are in the memory of the processes that do: send the request to one of them.";
  }
  if (store === "redis") return null;
  return store === "local"
    ? `${deps.settings.REDIS_URL ? "Redis" : "The supervisor"} is unavailable: these are the counts of this process only.`
    : "These are the counts of this node only. Set REDIS_URL to share counts between nodes.";
}
