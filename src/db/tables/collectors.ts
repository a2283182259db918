/** The collectors table, with the policy overrides of each collector. */
import type { Collector, Override } from "../../contract/guard/collectors.ts";
import { table } from "../table.ts";

export const collectorTable = table<Collector>({
  name: "collectors",
  columns: {
    id: "text",
    name: "text",
    type: "text",
    gateway_id: "text",
    collector_key: "text",
    default_policy_id: "text",
    default_policy_version: "number",
    fail_mode: "text",
    content_storage: "text",
    retention_days: "number",
    observe_until: "text",
    version: "number",
    created_at: "text",
    updated_at: "text",
  },
  search: ["name", "collector_key", "type"],
  sort: ["created_at", "name", "type"],
});

export interface OverrideRow extends Override {
  id: string;
  collector_id: string;
}

export const overrideTable = table<OverrideRow>({
  name: "policy_overrides",
  columns: {
    id: "text",
    collector_id: "text",
    consumer_id: "text",
    policy_id: "text",
    policy_version: "number",
    created_at: "text",
  },
  search: ["consumer_id"],
  sort: ["created_at", "consumer_id"],
});
