/** What passes between the program and a thread that judges: only what can be copied. */
import { AppError, type ErrorCode } from "../../contract/errors.ts";
import type { PolicyDocument } from "../../contract/policies.ts";
import type { Keyring } from "../../lib/crypto/seal.ts";
import type { Answering } from "../answer-body.ts";
import type { Asked, Judgment } from "../evaluate.ts";
import type { Chosen, EvaluationHost } from "./evaluation-host.ts";

export type ToThread =
  | { kind: "work"; job: number; work: Work }
  | { kind: "reply"; call: number; settled: Settled };

export type FromThread =
  | { kind: "call"; job: number; call: number; name: Asking; args: unknown[] }
  | { kind: "done"; job: number; settled: Settled };

/** A body to answer, or one evaluation of it. */
export type Work = { name: "answer"; given: Answering } | { name: "judge"; given: Asked };

export interface Done {
  answer: string;
  judge: Judgment;
}

/** What a thread asks the program for. The time and ids are its own, and it hands nothing on. */
export type Asking = Exclude<keyof EvaluationHost, "now" | "newId" | "aside">;

/** Without its functions: a program is compiled again. */
export interface PortableChoice extends Omit<Chosen, "program" | "keyring"> {
  keyring: Keyring;
  program: { document: PolicyDocument; id: string; version: number } | undefined;
}

export type Settled = { value: unknown } | { error: PlainError };

interface PlainError {
  code: ErrorCode;
  message: string;
  details: Record<string, string>;
  /** For the log. A text, because what hangs on an error need not be something that can be copied. */
  cause: string;
}

export async function settle(work: () => Promise<unknown>): Promise<Settled> {
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

export function unsettle(settled: Settled): unknown {
  if ("value" in settled) return settled.value;
  const { code, message, details, cause } = settled.error;
  throw new AppError(code, message, { details, cause });
}
