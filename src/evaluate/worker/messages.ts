/** Messages between the main thread and an evaluation worker: only data that can be cloned. */
import { AppError, type ErrorCode } from "../../contract/errors.ts";
import type { Status } from "../../contract/guard/actions.ts";
import type { PolicyDocument } from "../../contract/guard/policies.ts";
import type { Evaluation } from "../../evaluation.ts";
import type { Keyring } from "../../lib/crypto/seal.ts";
import { parseStrictText } from "../../lib/json/parse-strict.ts";
import type { EncoderInput } from "../../policy/learned/encoder.ts";
import type { ReplayedEvent } from "../replay-event.ts";
import type { EvaluationBody, EvaluationInput } from "../stages.ts";
import type { EvaluationHost, PolicySelection } from "./evaluation-host.ts";

export type MessageToWorker<Task = WorkerTask> =
  | { kind: "task"; job: number; owner: string; task: Task }
  | { kind: "reply"; call: number; outcome: TaskOutcome };

export type MessageFromWorker =
  | { kind: "call"; job: number; call: number; method: HostMethod; args: unknown[] }
  | { kind: "done"; job: number; outcome: TaskOutcome };

/** A whole body, one evaluation of it, the sample of a policy test, or a recorded event. */
export type EvaluationTask =
  | { name: "body"; input: EvaluationBody }
  | { name: "evaluation"; input: ClonedInput }
  | { name: "sample"; input: ClonedInput }
  | { name: "replay"; input: ReplayedEvent };

/** Windows of text for stage 2 of the injection model. */
export interface ModelTask {
  name: "windows";
  input: readonly EncoderInput[];
}

export type WorkerTask = EvaluationTask | ModelTask;

/** An input without its parsed payload: cloning that would block the main thread for ten times as long as parsing its text. */
export type ClonedInput = Omit<EvaluationInput, "request"> & {
  request: Omit<EvaluationInput["request"], "payload">;
  /** The text has not been parsed before. */
  is_unchecked?: boolean;
};

export const toClonedInput = ({
  request: { payload: _, ...request },
  ...input
}: EvaluationInput): ClonedInput => ({ ...input, request });

export const restoreInput = ({ request, is_unchecked, ...input }: ClonedInput): EvaluationInput => {
  const { text, value } = is_unchecked
    ? parseUnchecked(input.text)
    : { text: input.text, value: JSON.parse(input.text) };
  return { ...input, text, request: { ...request, payload: value.payload } };
};

/** Throws if the text is not strict JSON. `text` is an object with the member `payload`. */
function parseUnchecked(content: string) {
  const parsed = parseStrictText(content);
  if (parsed.ok) {
    return { ...parsed, value: parsed.value as Pick<EvaluationInput["request"], "payload"> };
  }
  throw new AppError("invalid_request", `The content is ${parsed.reason}.`);
}

/** Result of each task, by its name. */
export interface TaskResults {
  body: string;
  evaluation: Evaluation;
  sample: string;
  replay: Status;
  windows: readonly number[];
}

/** Methods that a worker calls in the main thread. It has its own clock, ids and turns. */
export type HostMethod = Exclude<keyof EvaluationHost, "now" | "newId" | "waitForTurn" | "worker">;

/** A selection without its functions: the worker compiles the policy itself. */
export interface ClonedSelection extends Omit<PolicySelection, "program" | "keyring"> {
  keyring: Keyring;
  program: { document: PolicyDocument; id: string; version: number } | undefined;
}

export type TaskOutcome = { value: unknown } | { error: ClonedError };

interface ClonedError {
  code: ErrorCode;
  message: string;
  details: Record<string, string>;
  /** For the log, as text: the cause itself may not be cloneable. */
  cause: string;
}

/** Runs the work and returns its value or its error. */
export async function captureOutcome(work: () => Promise<unknown>): Promise<TaskOutcome> {
  try {
    return { value: await work() };
  } catch (thrown) {
    const { code, message, details, cause } = AppError.from(thrown);
    return { error: { code, message, details, cause: describeCause(cause) } };
  }
}

/** Returns the stack of an error and of its causes. */
export function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause === undefined ? "" : `\ncaused by ${describeCause(cause.cause)}`;
  return `${cause.stack ?? cause.message}${inner}`;
}

/** Returns the value of an outcome, or throws its error. */
export function unwrapOutcome(outcome: TaskOutcome): unknown {
  if ("value" in outcome) return outcome.value;
  const { code, message, details, cause } = outcome.error;
  throw new AppError(code, message, { details, cause });
}
