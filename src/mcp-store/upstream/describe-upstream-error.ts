/** What is wrong with an upstream, in words that hold nothing of its own: those could repeat a credential. */
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";

export function describeUpstreamError(thrown: unknown): string {
  const failure = findRootCause(thrown);
  if (failure instanceof AppError) return failure.message;
  if (failure instanceof InsufficientScopeError) {
    return "The account that is connected there lacks a permission for this.";
  }
  if (failure instanceof SdkHttpError) {
    return isCredentialRejected(failure)
      ? "The server refused the credential."
      : `The server answered ${failure.status}.`;
  }
  if (failure instanceof ProtocolError) {
    return `The server answered with the error ${failure.code}.`;
  }
  if (failure instanceof SdkError && failure.code === SdkErrorCode.RequestTimeout) {
    return "The server did not answer in time.";
  }
  return "The server does not speak MCP as it should.";
}

/** Not 403: that is about what was asked, and the account stays what it is. */
export function isCredentialRejected(thrown: unknown): boolean {
  const failure = findRootCause(thrown);
  return failure instanceof SdkHttpError && failure.status === 401;
}

/** It knows the session no more, and so has done nothing: the call may be made again in a new one. */
export function isSessionLost(thrown: unknown): boolean {
  const failure = findRootCause(thrown);
  return failure instanceof SdkHttpError && (failure.status === 404 || failure.status === 400);
}

/** The SDK wraps what the transport threw. */
function findRootCause(thrown: unknown): unknown {
  let error = thrown;
  for (let depth = 0; depth < MAX_CAUSES; depth += 1) {
    if (error instanceof AppError || error instanceof SdkHttpError) return error;
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause === undefined) return error;
    error = cause;
  }
  return error;
}

const MAX_CAUSES = 5;
