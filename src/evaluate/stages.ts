/**
 * Data of an evaluation after each step. A stage extends the one before it, so no step can be skipped. Steps after
 * selectPolicy add their members to the same object: a copy per step would cost 2 µs per evaluation.
 */
import type {
  Direction,
  EvaluateRequest,
  Protocol,
  Uninspected,
} from "../contract/guard/evaluate.ts";
import type { HookAgent } from "../contract/guard/hook-agents.ts";
import type { LitellmRequest } from "../contract/guard/litellm.ts";
import type { CoveredText } from "../evaluation.ts";
import type { InspectionContext } from "../policy/detector.ts";
import type { Payload } from "../policy/payload/payload.ts";
import type { PolicyOutcome } from "../policy/policy-run.ts";
import type { Segment } from "../policy/segment.ts";
import type { DirectCall } from "../route.ts";
import type { ReceivedHook } from "./hooks/all.ts";
import type { Caller } from "./identify-caller.ts";
import type { PolicySelection } from "./worker/evaluation-host.ts";

/** Formats of bodies and verdicts, one for each endpoint; `internal` is our own JSON, which is trusted. */
export type EvaluationFormat = "evaluate" | "guard" | "batch" | "litellm" | HookAgent | "internal";

/** Totals of the evaluations of a batch that were read. */
export interface BatchTotals {
  bytes: number;
  texts: number;
  /** Characters of pointers. */
  pointers: number;
}

/** Source of an evaluation. */
export interface EvaluationOrigin {
  /** Gateway that the content passes through. Left out: that of the collector. */
  gateway_id?: string;
  trace_id: string;
  request_id: string;
  client_address: string;
  user_agent: string | null;
  /**
   * Scopes of reversible masks: that of new ones, and others that are restored. Undefined: the session. Scopes other than
   * sessions begin with NUL, which no session id contains.
   */
  pseudonym_scopes?: readonly string[] | undefined;
  /** User that a header of a hook names. */
  user?: string | undefined;
}

/** A body before it is parsed. Can be cloned into a worker. */
export interface EvaluationBody {
  bytes: Uint8Array;
  format: EvaluationFormat;
  origin: EvaluationOrigin;
  /** False: no event is recorded and no approval is requested. */
  recorded: boolean;
  /**
   * `explicit`: the caller presents the id of the approval. `implicit`: its content is enough. `waived`: none is needed.
   * `delegated`: the user of the caller confirms, so no approval is requested.
   */
  approval_mode: "explicit" | "implicit" | "waived" | "delegated";
}

/** After identifyCaller. */
export interface AuthenticatedCall {
  call: DirectCall;
  format: EvaluationFormat;
  caller: Caller;
}

/** After receiveBody. Disposing it releases the bytes from the in-flight budget. */
export interface ReceivedCall extends AuthenticatedCall, Disposable {
  body: EvaluationBody;
}

/** After parseBody: one evaluation. Can be cloned into a worker; in-process evaluations start here. */
export interface EvaluationInput extends Omit<EvaluationBody, "bytes"> {
  request: EvaluateRequest;
  /** JSON text that `request` was parsed from: what is not rewritten is returned byte for byte. */
  text: string;
  /** Bytes of the body. */
  size: number;
  /** Totals of those evaluations of the same batch that were extracted. Undefined outside a batch. */
  batch?: BatchTotals;
  /** True for a body of another API: its member `attachments` is not ours, and no member is removed. */
  is_foreign_body?: boolean;
  /** Content that could not be read as a payload. */
  unread?: readonly Uninspected[];
  /** Locations of calls whose arguments are not complete. Rules for tools read them in a later evaluation. */
  incomplete_calls?: readonly string[] | undefined;
  /** Parts of the request that an approval covers beside the payload. */
  covered?: readonly CoveredText[];
  /** Texts of the system prompt that the payload responds to. Undefined: the payload may contain it. */
  system_prompt?: readonly string[] | undefined;
  /** The request as LiteLLM sent it. */
  litellm?: LitellmRequest;
  hook?: ReceivedHook;
}

/** After selectPolicy. */
export interface AssignedEvaluation extends EvaluationInput, PolicySelection {}

/** After extractTexts. */
export interface ExtractedEvaluation extends AssignedEvaluation {
  direction: Direction;
  protocol: Protocol;
  session_id: string;
  payload: Payload;
}

/** After openAttachments. */
export interface OpenedEvaluation extends ExtractedEvaluation {
  opened: OpenedAttachments;
}

export interface OpenedAttachments {
  segments: Segment[];
  attachments: InspectionContext["attachments"][number][];
  uninspected: Uninspected[];
}

/** After applyPolicy; requestApproval adds the id of the approval to the findings. */
export interface DecidedEvaluation extends OpenedEvaluation {
  outcome: PolicyOutcome;
}
