/** What the address says about which evaluations are looked at. */
import type { ActivityFilters } from "../../contract/activity.ts";
import type { Reader } from "../api.ts";
import { collectors, detectors, policies } from "../endpoints.ts";
import { readAllPages, readNamesById } from "../read-all-pages.ts";
import { readRangeStart } from "../ui/time-range.ts";

/** Filters that stand in the address as the server knows them, and what people call them. */
export const FILTER_LABELS = {
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
export type ActivityFilter = keyof typeof FILTER_LABELS;

export const FILTER_NAMES = Object.keys(FILTER_LABELS) as ActivityFilter[];

/** Counts and lists take the same members; only lists search in texts. */
export function readActivityQuery(search: URLSearchParams): Omit<ActivityFilters, "q"> {
  const given = FILTER_NAMES.flatMap((name) => {
    const value = search.get(name);
    return value ? [[name, value] as const] : [];
  });
  // Anybody can write an address: the server says which values it does not know.
  return { ...Object.fromEntries(given), from: readRangeStart(search) } as Omit<
    ActivityFilters,
    "q"
  >;
}

/** Names by id, for the filters that are ids. */
export type FilterNames = Partial<Record<ActivityFilter, ReadonlyMap<string, string>>>;

export async function loadFilterNames(read: Reader): Promise<FilterNames> {
  const params = {};
  const [collector_id, judging, finding] = await Promise.all([
    readNamesById((query) => read(collectors.list, { params, query })),
    readAllPages((query) => read(policies.list, { params, query: { ...query, sort: "name" } })),
    readNamesById((query) => read(detectors.list, { params, query })),
  ]);
  const policy_id = new Map(judging.map(({ id, name }) => [id, name]));
  // A gate has no id: it is found by its name.
  const gates = judging.flatMap((policy) => policy.gates.map(({ name }) => [name, name] as const));
  return { collector_id, policy_id, detector: new Map([...finding, ...gates]) };
}
