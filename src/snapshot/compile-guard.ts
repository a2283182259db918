/** Compiles the part of the snapshot that evaluations read: collectors, their keys and policies. */

import type { DetectorResource } from "../contract/guard/detectors.ts";
import type { Exception } from "../contract/guard/exceptions.ts";
import type { Db } from "../db/db.ts";
import { sealContextOf } from "../db/sealed-columns.ts";
import { collectorTable, overrideTable } from "../db/tables/collectors.ts";
import { detectorTable } from "../db/tables/detectors.ts";
import { exceptionTable } from "../db/tables/exceptions.ts";
import { exemptionTable } from "../db/tables/exemptions.ts";
import { collectorKeyTable, type KeyColumns, serviceClientTable } from "../db/tables/keys.ts";
import { type PolicyVersionRow, policyTable, versionsInForce } from "../db/tables/policies.ts";
import { unseal } from "../lib/crypto/seal.ts";
import { type CompiledPolicy, compilePolicy, type OpenSecret } from "../policy/compile-policy.ts";
import type { CompileOptions } from "./compile.ts";
import { toExpiryMs } from "./expiry-ms.ts";
import type { CollectorKeyView, CollectorView, ProgramView, Snapshot } from "./snapshot.ts";
import { EVERY_DETECTOR } from "./snapshot.ts";

type GuardPart = Pick<
  Snapshot,
  | "collectors"
  | "collectorKeysByHash"
  | "serviceClients"
  | "policies"
  | "disabledDetectors"
  | "exemptions"
>;

export async function compileGuard(
  db: Db,
  { keyring, programs }: CompileOptions,
): Promise<GuardPart> {
  const policyRows = await policyTable.all(db);
  const versions = await versionsInForce(db);
  const detectorRows = await detectorTable.all(db);
  const collectorRows = await collectorTable.all(db);
  const overrideRows = await overrideTable.all(db);
  const keyRows = await collectorKeyTable.all(db);
  const clientRows = await serviceClientTable.all(db);
  const exempt = await exemptionTable.all(db);
  const allowed = await exceptionTable.all(db);

  const open: OpenSecret = (sealed, detector_id) =>
    unseal(keyring(), sealContextOf("detectors.settings", detector_id), sealed);
  const byNumber = new Map<string, ProgramView>();
  for (const { policy_id, number, document } of versions) {
    const name = nameOf(policy_id, number);
    const saved = { id: policy_id, version: number };
    byNumber.set(name, (mode = document.mode) => {
      const key = `${name}:${mode}`;
      const known = programs.get(key);
      if (known) return known;
      const program = compilePolicy({ ...document, mode }, saved, open);
      programs.set(key, program);
      return program;
    });
  }
  // Versions are immutable: a compiled one is valid until it is no longer used.
  for (const [key, { id, version }] of programs) {
    if (!byNumber.has(nameOf(id, version))) programs.delete(key);
  }

  const policies = new Map<string, ProgramView>();
  for (const { id, version } of policyRows) {
    const program = byNumber.get(nameOf(id, version));
    if (program) policies.set(id, program);
  }
  const inForce = (policy_id: string | null, number: number | null): ProgramView | undefined => {
    if (policy_id === null) return undefined;
    const program =
      number === null ? policies.get(policy_id) : byNumber.get(nameOf(policy_id, number));
    return program ?? rejectMissing;
  };
  const overriding = Map.groupBy(overrideRows, ({ collector_id }) => collector_id);
  const collectors = new Map<string, CollectorView>();
  for (const row of collectorRows) {
    const overrides = new Map<string, ProgramView>();
    for (const { consumer_id, policy_id, policy_version } of overriding.get(row.id) ?? []) {
      const program = inForce(policy_id, policy_version);
      if (program) overrides.set(consumer_id, program);
    }
    const program = inForce(row.default_policy_id, row.default_policy_version);
    const observe_until = row.observe_until ? Date.parse(row.observe_until) : 0;
    collectors.set(row.id, { ...row, program, overrides, observe_until });
  }
  const keyView = (row: KeyColumns & { collector_id: string }): CollectorKeyView[] => {
    const collector = collectors.get(row.collector_id);
    const { id, hash, revoked_at } = row;
    if (!collector) return [];
    return [
      { id, hash, collector, expires_at: toExpiryMs(row.expires_at), revoked: revoked_at !== null },
    ];
  };
  return {
    collectors,
    collectorKeysByHash: new Map(keyRows.flatMap(keyView).map((view) => [view.hash, view])),
    serviceClients: new Map(clientRows.flatMap(keyView).map((view) => [view.id, view])),
    policies,
    disabledDetectors: listDisabled(detectorRows, versions),
    exemptions: groupExemptions([
      ...exempt.map((row) => ({ ...row, hash: row.fingerprint, expires_at: null })),
      ...allowed.map((row) => ({ ...row, hash: row.passage_sha256 })),
    ]),
  };
}

/** Without its policy, an evaluation must not be allowed. */
const rejectMissing: ProgramView = () => {
  throw new Error("The version of a policy is missing.");
};

type ExemptHash = Pick<Exception, "policy_id" | "detector_id" | "expires_at"> & { hash: string };

function groupExemptions(rows: readonly ExemptHash[]): Snapshot["exemptions"] {
  const groups = new Map<string, Map<string, Map<string, number>>>();
  for (const { policy_id, detector_id, hash, expires_at } of rows) {
    const ofPolicy = groups.get(policy_id) ?? new Map<string, Map<string, number>>();
    groups.set(policy_id, ofPolicy);
    const id = detector_id ?? EVERY_DETECTOR;
    ofPolicy.set(id, (ofPolicy.get(id) ?? new Map()).set(hash, toExpiryMs(expires_at)));
  }
  return groups;
}

/**
 * Returns the ids of detectors that are disabled or deleted. A deleted one may be in a pinned version, and must not get
 * its address and secrets back with the pin.
 */
function listDisabled(
  rows: readonly DetectorResource[],
  versions: readonly PolicyVersionRow[],
): Set<string> {
  const stored = new Set(rows.map(({ id }) => id));
  const used = versions.flatMap(({ document }) => Object.keys(document.detectors));
  const disabled = rows.filter(({ enabled }) => !enabled).map(({ id }) => id);
  return new Set([...disabled, ...used.filter((id) => !stored.has(id))]);
}

/** Compiled programs by policy, version and mode. They are reused by later snapshots. */
export type Programs = Map<string, CompiledPolicy>;

const nameOf = (policy_id: string, number: number): string => `${policy_id}:${number}`;
