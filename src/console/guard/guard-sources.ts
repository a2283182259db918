/** Reads the collectors that a guard can use, and their policies. */
import type { Collector } from "../../contract/guard/collectors.ts";
import type { Policy } from "../../contract/guard/policies.ts";
import type { Reader } from "../api.ts";
import { collectors, policies } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";

export interface GuardSources {
  collectors: readonly Collector[];
  policies: readonly Policy[];
}

/** Empty for a token that is limited to some gateways: it cannot read collectors. */
export async function readGuardSources(read: Reader, allGateways: boolean): Promise<GuardSources> {
  if (!allGateways) return { collectors: [], policies: [] };
  const [allCollectors, allPolicies] = await Promise.all([
    readAllPages((query) =>
      read(collectors.list, { params: {}, query: { ...query, sort: "name" } }),
    ),
    readAllPages((query) => read(policies.list, { params: {}, query: { ...query, sort: "name" } })),
  ]);
  return { collectors: allCollectors, policies: allPolicies };
}
