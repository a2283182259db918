/** The exemptions table: texts that a detector of a policy does not report, as keyed hashes. */
import type { Exemption } from "../../contract/guard/feedback.ts";
import { table } from "../table.ts";

export interface ExemptionRow extends Exemption {
  fingerprint: string;
}

export const exemptionTable = table<ExemptionRow>({
  name: "exemptions",
  columns: {
    id: "text",
    policy_id: "text",
    detector_id: "text",
    fingerprint: "text",
    label: "text",
    event_id: "text",
    actor: "text",
    created_at: "text",
  },
  search: [],
  sort: ["-created_at"],
});
