/** The policies table, with the immutable version of every save. */
import type { Policy, PolicyDocument, PolicyVersion } from "../../contract/guard/policies.ts";
import type { Db } from "../db.ts";
import { table } from "../table.ts";

export const policyTable = table<Policy>({
  name: "policies",
  columns: {
    id: "text",
    name: "text",
    mode: "text",
    gates: "json",
    input_rules: "json",
    output_rules: "json",
    version: "number",
    created_at: "text",
    updated_at: "text",
  },
  search: ["name"],
  sort: ["created_at", "name"],
});

export interface PolicyVersionRow extends PolicyVersion {
  id: string;
  document: PolicyDocument;
}

export const policyVersionTable = table<PolicyVersionRow>({
  name: "policy_versions",
  columns: {
    id: "text",
    policy_id: "text",
    number: "number",
    document: "json",
    reason: "text",
    note: "text",
    actor: "text",
    created_at: "text",
  },
  search: [],
  sort: ["-number"],
});

/** Returns the versions in force: the newest of each policy, and those that a collector pins. */
export async function versionsInForce(db: Db): Promise<PolicyVersionRow[]> {
  const rows = await db.many<PolicyVersionRow & { document: unknown }>(
    `SELECT v.* FROM policy_versions v JOIN policies p ON p.id = v.policy_id
     WHERE v.number = p.version
        OR EXISTS (SELECT 1 FROM collectors c
                   WHERE c.default_policy_id = v.policy_id AND c.default_policy_version = v.number)
        OR EXISTS (SELECT 1 FROM policy_overrides o
                   WHERE o.policy_id = v.policy_id AND o.policy_version = v.number)`,
  );
  return rows.map((row) => ({
    ...row,
    number: Number(row.number),
    document: JSON.parse(String(row.document)),
  }));
}
