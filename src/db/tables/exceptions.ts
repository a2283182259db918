/** The policy_exceptions table: passages that a policy allows, as hashes. */
import type { Exception } from "../../contract/guard/exceptions.ts";
import { table } from "../table.ts";

export const exceptionTable = table<Exception>({
  name: "policy_exceptions",
  columns: {
    id: "text",
    policy_id: "text",
    detector_id: "text",
    passage_sha256: "text",
    reason: "text",
    created_by: "text",
    expires_at: "text",
    version: "number",
    created_at: "text",
    updated_at: "text",
  },
  search: ["passage_sha256", "reason"],
  sort: ["-created_at"],
});
