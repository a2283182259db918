/** The gateways table. */
import type { Gateway } from "../../contract/gateways.ts";
import { table } from "../table.ts";

export type GatewayRow = Gateway;

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
