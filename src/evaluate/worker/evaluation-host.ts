/**
 * Services that an evaluation may call: configuration, database and network. Arguments and results can be cloned
 * between threads, except for compiled policies, which a worker compiles itself.
 */
import type { EvaluateRequest } from "../../contract/guard/evaluate.ts";
import { type ApprovalRow, approvalTable } from "../../db/tables/approvals.ts";
import type { RecordedEvaluation } from "../../db/tables/evaluation-events.ts";
import {
  findPseudonyms,
  type PseudonymRow,
  type SealedPseudonym,
  storePseudonyms,
} from "../../db/tables/pseudonyms.ts";
import type { Deps } from "../../deps.ts";
import type { Evaluation } from "../../evaluation.ts";
import type { Keyring } from "../../lib/crypto/seal.ts";
import {
  ATTACHMENT_LIMITS,
  type AttachmentLimits,
  type FetchedAttachment,
  fetchAttachment,
} from "../../net/fetch-attachment.ts";
import type { CompiledPolicy } from "../../policy/compile-policy.ts";
import type { DetectorServices } from "../../policy/detector.ts";
import type { DetectorFailure, Scores } from "../../policy/policy-run.ts";
import { findProgram } from "../../snapshot/find-program.ts";
import type { CollectorView, Exemptions } from "../../snapshot/snapshot.ts";
import { openApproval } from "../approvals/request-approval.ts";
import { createDetectorCalls } from "../detector-calls.ts";
import { findSender } from "../find-sender.ts";
import { type Caller, ownerOf } from "../identify-caller.ts";
import { identifyCollector } from "../identify-collector.ts";
import { addSessionRisk, type RiskyTurn } from "../session-risk.ts";
import { tolerateOutage } from "../tolerate-outage.ts";
import type { ClonedInput } from "./messages.ts";
import {
  createWindowService,
  type ModelUser,
  runInWorker,
  takeTurnToEvaluate,
} from "./run-in-worker.ts";
import type { EvaluationWorker } from "./worker-pool.ts";

/** Members of a request that select the collector and the policy. */
export type PolicySelector = Pick<EvaluateRequest, "gateway_id" | "collector_key" | "consumer_id">;

/** Part of a collector that evaluations read. */
export type EvaluationCollector = Pick<
  CollectorView,
  "id" | "name" | "type" | "gateway_id" | "fail_mode" | "content_storage"
>;

export interface PolicySelection {
  collector: EvaluationCollector;
  /** undefined: no policy applies. */
  program: CompiledPolicy | undefined;
  /** Ids of disabled detectors. */
  disabled: ReadonlySet<string>;
  /** Of the policy. Undefined: it has none. */
  exemptions: Exemptions | undefined;
  /** Lazy: each call stats the key file, and few evaluations need it. */
  keyring: () => Keyring;
}

export interface EvaluationHost
  extends Pick<DetectorServices, "post" | "ask" | "scoreWindows">,
    Pick<Deps, "now" | "newId"> {
  /** Returns a promise only in a worker, which has to call the main thread. */
  selectPolicy: (selector: PolicySelector) => PolicySelection | Promise<PolicySelection>;
  fetchAttachment: (
    url: string,
    limits: Pick<AttachmentLimits, "total_ms" | "signal">,
  ) => Promise<FetchedAttachment>;
  findPseudonyms: (
    session_hash: string,
    pseudonyms: readonly string[],
  ) => Promise<SealedPseudonym[]>;
  savePseudonyms: (rows: readonly PseudonymRow[]) => Promise<void>;
  /** Returns undefined when the database is unavailable. */
  addRisk: (turn: RiskyTurn) => Promise<{ risk: number; turns: number } | undefined>;
  findApproved: (
    approval: Pick<ApprovalRow, "collector_id" | "fingerprint"> &
      Partial<Pick<ApprovalRow, "requested_by">>,
  ) => Promise<ApprovalRow[]>;
  /** Returns the id of the pending approval; null when the database is unavailable. */
  requestApproval: (row: ApprovalRow, content: string) => Promise<string | null>;
  record: (
    recorded: RecordedEvaluation,
    options: { logged: boolean; scores: Scores | undefined },
  ) => Promise<void>;
  logFailure: (failure: DetectorFailure, cause: string) => Promise<void>;
  /** Lets other evaluations of this thread run, before a detector inspects this much text. Owners take turns. */
  waitForTurn: (bytes: number) => Promise<void>;
  /**
   * Ends the turn of the evaluation until `takeTurn`, so that other owners have it. `heldSize` is what the evaluation holds
   * meanwhile, beside its body (`HELD_SIZE`). Does nothing outside of the workers.
   */
  leaveTurn: (heldSize: number) => Promise<void>;
  /** Waits for another turn. */
  takeTurn: () => Promise<void>;
  /** Rejects if the client has disconnected. Outside of the workers, the turn of the main thread does that. */
  checkClient: () => Promise<void>;
  /** Worker that the evaluation runs in. Undefined in the main thread. */
  worker: EvaluationWorker | undefined;
  evaluateInWorker: (worker: EvaluationWorker, input: ClonedInput) => Promise<Evaluation>;
}

/** Host in the main thread, which selects the policy without a promise. */
export interface MainHost extends EvaluationHost {
  selectPolicy: (selector: PolicySelector) => PolicySelection;
}

/** Owners take turns at the workers. */
export function createHost(
  deps: Deps,
  caller: Caller,
  {
    owner = ownerOf(caller),
    client,
  }: { [Name in keyof ModelUser]?: ModelUser[Name] | undefined } = {},
): MainHost {
  const { hostServices } = deps;
  const identifySender = () => tolerateOutage(deps, findSender(deps, caller), null);
  const host: MainHost = {
    ...hostServices,
    findApproved: async (approval) =>
      hostServices.findApproved({ ...approval, requested_by: await identifySender() }),
    requestApproval: async (row, content) =>
      hostServices.requestApproval({ ...row, requested_by: await identifySender() }, content),
    selectPolicy(selector) {
      const collector = identifyCollector(deps, caller, selector);
      const program = findProgram(collector, selector.consumer_id, deps.now);
      const { disabledDetectors: disabled, exemptions } = deps.snapshot();
      const exempt = program && exemptions.get(program.id);
      return { collector, program, disabled, exemptions: exempt, keyring: deps.keyring };
    },
    scoreWindows: createWindowService(deps, { owner, client }),
    // Without the client: the evaluation is recorded even if it has disconnected.
    waitForTurn: (size) =>
      takeTurnToEvaluate(deps, { owner, size, continues: true, client: undefined }),
    worker: undefined,
    evaluateInWorker: (worker, input) =>
      runInWorker(deps, worker, {
        task: { name: "evaluation", input },
        host,
        owner,
        signal: client?.signal,
      }),
  };
  return host;
}

/** The part of a host that is the same for every evaluation. */
export type HostServices = Omit<
  EvaluationHost,
  "selectPolicy" | "scoreWindows" | "waitForTurn" | "worker" | "evaluateInWorker"
>;

declare module "../../deps.ts" {
  interface Deps {
    /** Created once, because every evaluation needs them. */
    hostServices: HostServices;
  }
}

export function createHostServices(
  deps: Omit<Deps, "hostServices" | "evaluate" | "openResponseGuard">,
): HostServices {
  return {
    ...createDetectorCalls(deps),
    now: deps.now,
    newId: deps.newId,
    leaveTurn: async () => {},
    takeTurn: async () => {},
    checkClient: async () => {},
    fetchAttachment: (url, limits) =>
      fetchAttachment(deps.send, url, { ...ATTACHMENT_LIMITS, ...limits }),
    findPseudonyms: (hash, pseudonyms) => findPseudonyms(deps.db, hash, pseudonyms),
    savePseudonyms: (rows) =>
      tolerateOutage(
        deps,
        deps.db.transaction((tx) => storePseudonyms(tx, rows)),
        undefined,
      ),
    addRisk: (turn) => tolerateOutage(deps, addSessionRisk(deps.db, turn), undefined),
    findApproved: (approval) =>
      tolerateOutage(deps, approvalTable.all(deps.db, { ...approval, status: "approved" }), []),
    requestApproval: (row, content) =>
      tolerateOutage(deps, openApproval(deps.db, row, content), null),
    record(recorded, { logged, scores }) {
      const { id: request_id, collector_id, trace_id, status, latency_ms } = recorded.event;
      if (scores) deps.recordScores({ collector_id, event_id: request_id, scores });
      if (logged) deps.log("evaluation", { trace_id, request_id, status, latency_ms });
      return deps.recordEvaluation(recorded);
    },
    async logFailure(failure, cause) {
      deps.log("detector_failed", { level: "error", ...failure, cause });
    },
  };
}
