/** What the address says about which evaluations are looked at. */
import type { ActivityFilters } from "../../contract/activity.ts";
import { call } from "../api.ts";
import { collectors, detectors, policies } from "../endpoints.ts";
import { fromIn } from "./time-range.ts";

/** Filters that stand in the address as the server knows them, and what people call them. */
export const FILTERS = {
  status: "Status",
  direction: "Direction",
  protocol: "Protocol",
  consumer_id: "Consumer",
  application: "Application",
  collector_id: "Collector",
  policy_id: "Policy",
  detector: "Detector or gate",
  session_id: "Session",
  trace_id: "Trace id",
  request_id: "Request id",
} as const satisfies Partial<Record<keyof ActivityFilters, string>>;
export type Filter = keyof typeof FILTERS;

export const FILTER_NAMES = Object.keys(FILTERS) as Filter[];

/** Counts and lists take the same members; only lists search in texts. */
export function queryOf(search: URLSearchParams): Omit<ActivityFilters, "q"> {
  const given = FILTER_NAMES.flatMap((name) => {
    const value = search.get(name);
    return value ? [[name, value] as const] : [];
  });
  // Anybody can write an address: the server says which values it does not know.
  return { ...Object.fromEntries(given), from: fromIn(search) } as Omit<ActivityFilters, "q">;
}

/** Names by id, for the filters that are ids. */
export type FilterNames = Partial<Record<Filter, ReadonlyMap<string, string>>>;

/** Enough for a menu; the others are found by "filter by this" in the list. */
const MENU = 200;

export async function filterNames(): Promise<FilterNames> {
  const asked = { params: {}, query: { limit: MENU, sort: "name" } };
  const [senders, rules, finders] = await Promise.all([
    call(collectors.list, asked),
    call(policies.list, asked),
    call(detectors.list, asked),
  ]);
  const named = ({ items }: { items: readonly { id: string; name: string }[] }) =>
    new Map(items.map(({ id, name }) => [id, name]));
  return {
    collector_id: named(senders),
    policy_id: named(rules),
    detector: named(finders),
  };
}
