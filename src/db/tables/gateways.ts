/** The gateways table. */
import type { Gateway } from "../../contract/gateway/gateways.ts";
import type { GuardPatch } from "../../contract/guard/guard-settings.ts";
import { table } from "../table.ts";

export interface GatewayRow extends Omit<Gateway, "guard"> {
  /** Release 0.1.0 stores only `collector_id`; read it with `completeGuard`. */
  guard: GuardPatch;
}

export const gatewayTable = table<GatewayRow>({
  name: "gateways",
  columns: {
    id: "text",
    name: "text",
    slug: "text",
    required_plugins: "json",
    metadata: "json",
    store: "json",
    guard: "json",
    version: "number",
    created_at: "text",
    updated_at: "text",
  },
  search: ["name", "slug"],
  sort: ["created_at", "name", "slug", "updated_at"],
});
