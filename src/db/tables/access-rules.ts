/** The access_rules table: who may install what from the Store. */
import type { AccessRule } from "../../contract/store/access.ts";
import { table } from "../table.ts";

export const accessRuleTable = table<AccessRule>({
  name: "access_rules",
  columns: {
    id: "text",
    gateway_id: "text",
    subject_type: "text",
    subject: "text",
    target_type: "text",
    target: "text",
    level: "text",
    version: "number",
    created_at: "text",
    updated_at: "text",
  },
  search: ["subject", "target"],
  sort: ["created_at", "subject", "target", "level", "updated_at"],
});
