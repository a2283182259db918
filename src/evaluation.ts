/** Types and limits by which the planes call the guard inside the program. */
import type { Approval } from "./contract/guard/approvals.ts";
import type { EvaluateRequest, Uninspected, Verdict } from "./contract/guard/evaluate.ts";
import type { GuardSettings } from "./contract/guard/guard-settings.ts";
import type { MaskedPart } from "./policy/stream/text-stream.ts";

/** Larger content is evaluated in a worker. Adversarial text takes 0.8 µs per byte, with a learned detector 2 µs, and others run between the detectors. */
export const LARGE_BYTES = 64 * 1024;

/** Sender of evaluated content, and the collector whose policy applies. */
export interface EvaluationContext {
  collector_id: string;
  /** Gateway that the content passes through. */
  gateway_id: string;
  /** Id of the consumer key or personal token; in the playground, of the administrator's token. Undefined: a token of an identity provider. */
  credential_id?: string | undefined;
  request: Omit<EvaluateRequest, "payload" | "gateway_id" | "collector_key">;
  /**
   * Scopes of reversible masks: that of new ones, and others that are restored. Undefined: the session. Scopes other than
   * sessions begin with NUL, which no session id contains.
   */
  pseudonym_scopes?: readonly string[] | undefined;
  trace_id: string;
  client_address: string;
  user_agent: string | null;
  /** Texts of the system prompt that the evaluated output responds to. */
  system_prompt?: readonly string[] | undefined;
  /** Request of the client: once it has disconnected, waiting work is dropped. */
  client?: Pick<Request, "signal">;
}

export interface InternalEvaluation extends EvaluationContext {
  /** JSON text of the payload, an object. */
  text: string;
  /** The same, if it is parsed already. Undefined: parsed strictly where it is evaluated, a large one in a worker. */
  payload?: Record<string, unknown>;
  /** True for a body of another API: its member `attachments` is not ours, and no member is removed. */
  is_foreign_body: boolean;
  /** False: no event is recorded, and no approval is requested. */
  recorded: boolean;
  /** `allow`: an `ask` is reported instead, and no approval is requested. */
  on_ask: GuardSettings["on_ask"];
  /** Content that could not be read as a payload. */
  unread?: readonly Uninspected[];
  /** Locations of calls whose arguments are not complete. Rules for tools read them in a later evaluation. */
  incomplete_calls?: readonly string[] | undefined;
  /** Parts of the request that an approval covers beside the payload. */
  covered?: readonly CoveredText[];
}

/** A part of a request that is not in its payload: its path, or a file. Approvers see it. */
export interface CoveredText {
  pointer: string;
  text: string;
}

/** Result of an evaluation. */
export interface Evaluation {
  verdict: Omit<Verdict, "transformed_payload">;
  /** JSON text of the rewritten payload, which keeps every byte that is not masked. */
  transformed: string | null;
}

export type WaitForApproval = (
  id: string,
  limits: { ms: number; signal: AbortSignal },
) => Promise<Approval["status"]>;

/** Evaluates the texts of a streamed response as they arrive. */
export interface ResponseGuard {
  /** Evaluates content by the policy that applied when the response began. */
  evaluate: (content: InternalEvaluation) => Promise<Evaluation>;
  /**
   * Starts one text of the response; `pointer` is its location in the complete response. Undefined: a rule needs the
   * complete response, so nothing can be sent before it is evaluated.
   */
  openText: ((pointer: string) => TextStream) | undefined;
}

/** Masks text that arrives in parts, with the same result as one evaluation of the whole. */
export interface TextStream {
  /** Adds text. Returns the text that can be sent now. */
  push: (text: string) => MaskedPart | Promise<MaskedPart>;
  /** Ends the text. Returns the rest. */
  end: () => MaskedPart | Promise<MaskedPart>;
}
