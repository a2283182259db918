/** Reads the filters of Activity from the address. */
import type { ActivityFilters } from "../../contract/guard/activity.ts";
import type { Reader } from "../api.ts";
import { collectors, detectors, policies } from "../endpoints.ts";
import { readAllPages, readNamesById } from "../read-all-pages.ts";
import { readRangeBounds } from "../ui/time-range.ts";

/** Filters with the server's names, and their labels. */
export const FILTER_LABELS = {
  status: "Status",
  direction: "Direction",
  protocol: "Protocol",
  consumer_id: "Consumer",
  application: "Application",
  collector_id: "Collector",
  policy_id: "Policy",
  detector: "Detector or gate",
  finding_type: "Kind of finding",
  reference: "Reference",
  feedback: "Feedback",
  session_id: "Session",
  trace_id: "Trace ID",
  request_id: "Request ID",
} as const satisfies Partial<Record<keyof ActivityFilters, string>>;
export type ActivityFilter = keyof typeof FILTER_LABELS;

export const FILTER_NAMES = Object.keys(FILTER_LABELS) as ActivityFilter[];

/** Returns the query of counts and lists. Only lists search text, so `q` is not included. */
export function readActivityQuery(search: URLSearchParams): Omit<ActivityFilters, "q"> {
  const filters = FILTER_NAMES.flatMap((name) => {
    const value = search.get(name);
    return value ? [[name, value] as const] : [];
  });
  // The server rejects unknown values.
  return { ...Object.fromEntries(filters), ...readRangeBounds(search) } as Omit<
    ActivityFilters,
    "q"
  >;
}

/** Names by id, for filters that are ids. */
export type FilterNames = Partial<Record<ActivityFilter, ReadonlyMap<string, string>>>;

export async function loadFilterNames(read: Reader): Promise<FilterNames> {
  const params = {};
  const [collector_id, allPolicies, allDetectors] = await Promise.all([
    readNamesById((query) => read(collectors.list, { params, query })),
    readAllPages((query) => read(policies.list, { params, query: { ...query, sort: "name" } })),
    readNamesById((query) => read(detectors.list, { params, query })),
  ]);
  const policy_id = new Map(allPolicies.map(({ id, name }) => [id, name]));
  // A gate has no id: the filter takes its name.
  const gates = allPolicies.flatMap((policy) =>
    policy.gates.map(({ name }) => [name, name] as const),
  );
  return { collector_id, policy_id, detector: new Map([...allDetectors, ...gates]) };
}
