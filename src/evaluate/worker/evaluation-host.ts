/**
 * What stands behind an evaluation: configuration, database and network. Everything that is asked or answered
 * here can be copied from thread to thread, but for programs, which a thread compiles for itself.
 */
import type { EvaluateRequest } from "../../contract/evaluate.ts";
import { type ApprovalRow, approvalTable } from "../../db/approvals.ts";
import type { RecordedEvaluation } from "../../db/evaluation-events.ts";
import {
  findPseudonyms,
  type PseudonymRow,
  type SealedPseudonym,
  storePseudonyms,
} from "../../db/pseudonyms.ts";
import type { Deps } from "../../deps.ts";
import type { Keyring } from "../../lib/crypto/seal.ts";
import { type FetchedAttachment, fetchAttachment } from "../../net/fetch-attachment.ts";
import type { CompiledPolicy } from "../../policy/compile-policy.ts";
import type { DetectorServices } from "../../policy/detector.ts";
import { findProgram } from "../../snapshot/find-program.ts";
import type { CollectorView, ProgramView } from "../../snapshot/snapshot.ts";
import { openApproval } from "../approvals.ts";
import { createDetectorCalls } from "../detector-calls.ts";
import type { Asked, Judgment } from "../evaluate.ts";
import { tolerateOutage } from "../tolerate-outage.ts";
import { runInWorker } from "./worker-pool.ts";

/** The members of a request that say which collector and which policy. */
export type PolicySelector = Pick<EvaluateRequest, "gateway_id" | "collector_key" | "consumer_id">;

/** A collector as an evaluation knows it. */
export type EvaluationCollector = Pick<
  CollectorView,
  "id" | "name" | "type" | "gateway_id" | "fail_mode" | "content_storage"
>;

export interface PolicySelection {
  collector: EvaluationCollector;
  /** undefined: no policy applies. */
  program: CompiledPolicy | undefined;
  /** Ids of detectors that are switched off. */
  disabled: ReadonlySet<string>;
  /** Few evaluations need it, and every call looks whether the file of keys has changed. */
  keyring: () => Keyring;
}

export interface EvaluationHost
  extends Pick<DetectorServices, "post" | "ask">,
    Pick<Deps, "now" | "newId"> {
  /** A promise only in a thread, which has to ask. */
  selectPolicy: (named: PolicySelector) => PolicySelection | Promise<PolicySelection>;
  fetchAttachment: (url: string) => Promise<FetchedAttachment>;
  findPseudonyms: (
    session_hash: string,
    pseudonyms: readonly string[],
  ) => Promise<SealedPseudonym[]>;
  savePseudonyms: (rows: readonly PseudonymRow[]) => Promise<void>;
  findApproved: (
    asked: Pick<ApprovalRow, "collector_id" | "fingerprint">,
  ) => Promise<ApprovalRow[]>;
  /** Returns the id of the pending approval; null when the database is unreachable. */
  requestApproval: (row: ApprovalRow, content: string) => Promise<string | null>;
  record: (recorded: RecordedEvaluation) => Promise<void>;
  /** Judges in a thread, where this is not one already: a small file may say as much as a large body. */
  evaluateInWorker: ((asked: Asked, owner: string) => Promise<Judgment>) | undefined;
}

export function createHost(
  deps: Deps,
  choose: (named: PolicySelector) => {
    collector: CollectorView;
    program?: ProgramView | undefined;
  },
): EvaluationHost {
  const host: EvaluationHost = {
    ...deps.hostServices,
    selectPolicy(named) {
      const { collector, program = findProgram(collector, named.consumer_id) } = choose(named);
      const { disabledDetectors } = deps.snapshot();
      const { keyring } = deps;
      return { collector, program: program?.(), disabled: disabledDetectors, keyring };
    },
    evaluateInWorker: (asked, owner) =>
      runInWorker(deps, "huge", { work: { name: "judge", given: asked }, host, owner }),
  };
  return host;
}

/** The part of a host that is the same for every evaluation. */
export type HostServices = Omit<EvaluationHost, "selectPolicy" | "evaluateInWorker">;

declare module "../../deps.ts" {
  interface Deps {
    /** Built once, since every evaluation needs them. */
    hostServices: HostServices;
  }
}

export function createHostServices(deps: Omit<Deps, "hostServices" | "evaluate">): HostServices {
  return {
    ...createDetectorCalls(deps),
    now: deps.now,
    newId: deps.newId,
    fetchAttachment: (url) => fetchAttachment(deps.send, url),
    findPseudonyms: (hash, pseudonyms) => findPseudonyms(deps.db, hash, pseudonyms),
    savePseudonyms: (rows) =>
      tolerateOutage(
        deps,
        deps.db.transaction((tx) => storePseudonyms(tx, rows)),
        undefined,
      ),
    findApproved: (asked) =>
      tolerateOutage(deps, approvalTable.all(deps.db, { ...asked, status: "approved" }), []),
    requestApproval: (row, content) =>
      tolerateOutage(deps, openApproval(deps.db, row, content), null),
    record(recorded) {
      const { id: request_id, trace_id, status, latency_ms } = recorded.event;
      deps.log("evaluation", { trace_id, request_id, status, latency_ms });
      return deps.recordEvaluation(recorded);
    },
  };
}
