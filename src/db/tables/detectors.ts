/** The detectors table. */
import type { DetectorResource } from "../../contract/guard/detectors.ts";
import { table } from "../table.ts";

export const detectorTable = table<DetectorResource>({
  name: "detectors",
  columns: {
    id: "text",
    name: "text",
    kind: "text",
    settings: "json",
    enabled: "bool",
    version: "number",
    created_at: "text",
    updated_at: "text",
  },
  search: ["name", "kind"],
  sort: ["created_at", "name", "kind"],
});
