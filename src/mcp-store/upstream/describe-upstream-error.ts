/** Describes a failure of an upstream without the upstream's own text, which could contain a credential. */
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
  if (isTimeout(failure)) return "The server did not respond in time.";
  if (failure instanceof AppError) return failure.message;
  if (failure instanceof InsufficientScopeError) {
    return "The connected account lacks a required permission.";
  }
  if (failure instanceof SdkHttpError) {
    return isCredentialRejected(failure)
      ? "The server rejected the credential."
      : `The server returned status ${failure.status}.`;
  }
  if (failure instanceof ProtocolError) {
    return `The server returned error ${failure.code}.`;
  }
  return "The server's response is not valid MCP.";
}

const isTimeout = (failure: unknown): boolean =>
  failure instanceof AppError
    ? failure.code === "upstream_timeout"
    : failure instanceof SdkError && failure.code === SdkErrorCode.RequestTimeout;

/** A 403 is not included: it concerns the request, and the credential remains valid. */
export function isCredentialRejected(thrown: unknown): boolean {
  const failure = findRootCause(thrown);
  return failure instanceof SdkHttpError && failure.status === 401;
}

/** A lost session means that the call was not executed, so it can be repeated in a new one. */
export function isSessionLost(thrown: unknown): boolean {
  const failure = findRootCause(thrown);
  return failure instanceof SdkHttpError && (failure.status === 404 || failure.status === 400);
}

/** Unwraps the error of the transport from the errors of the SDK. */
export function findRootCause(thrown: unknown): unknown {
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
