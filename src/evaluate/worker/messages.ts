/** What passes between the program and a thread that judges: only what can be copied. */
import { AppError, type ErrorCode } from "../../contract/errors.ts";
import type { PolicyDocument } from "../../contract/policies.ts";
import type { Keyring } from "../../lib/crypto/seal.ts";
import type { Answering } from "../answer-body.ts";
import type { Asked, Judgment } from "../evaluate.ts";
import type { EvaluationHost, PolicySelection } from "./evaluation-host.ts";

export type MessageToWorker =
  | { kind: "work"; job: number; work: WorkerTask }
  | { kind: "reply"; call: number; settled: TaskOutcome };

export type MessageFromWorker =
  | { kind: "call"; job: number; call: number; name: HostMethod; args: unknown[] }
  | { kind: "done"; job: number; settled: TaskOutcome };

/** A body to answer, or one evaluation of it. */
export type WorkerTask = { name: "answer"; given: Answering } | { name: "judge"; given: Asked };

export interface TaskResults {
  answer: string;
  judge: Judgment;
}

/** What a thread asks the program for. The time and ids are its own, and it hands nothing on. */
export type HostMethod = Exclude<keyof EvaluationHost, "now" | "newId" | "evaluateInWorker">;

/** Without its functions: a program is compiled again. */
export interface ClonedSelection extends Omit<PolicySelection, "program" | "keyring"> {
  keyring: Keyring;
  program: { document: PolicyDocument; id: string; version: number } | undefined;
}

export type TaskOutcome = { value: unknown } | { error: PlainError };

interface PlainError {
  code: ErrorCode;
  message: string;
  details: Record<string, string>;
  /** For the log. A text, because what hangs on an error need not be something that can be copied. */
  cause: string;
}

export async function captureOutcome(work: () => Promise<unknown>): Promise<TaskOutcome> {
  try {
    return { value: await work() };
  } catch (thrown) {
    const { code, message, details, cause } = AppError.from(thrown);
    return { error: { code, message, details, cause: told(cause) } };
  }
}

function told(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const below = cause.cause === undefined ? "" : `\ncaused by ${told(cause.cause)}`;
  return `${cause.stack ?? cause.message}${below}`;
}

export function unwrapOutcome(settled: TaskOutcome): unknown {
  if ("value" in settled) return settled.value;
  const { code, message, details, cause } = settled.error;
  throw new AppError(code, message, { details, cause });
}
