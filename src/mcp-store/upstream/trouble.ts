/** What is wrong with an upstream, in words that hold nothing of its own: those could repeat a credential. */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";

export function troubleOf(thrown: unknown): string {
  const error = rootOf(thrown);
  if (error instanceof AppError) return error.message;
  if (error instanceof SdkHttpError) {
    return refusesCredential(error)
      ? `The server refused the credential (${error.status}).`
      : `The server answered ${error.status}.`;
  }
  if (error instanceof ProtocolError) return `The server answered with the error ${error.code}.`;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return "The server did not answer in time.";
  }
  return "The server does not speak MCP as it should.";
}

export function refusesCredential(thrown: unknown): boolean {
  const error = rootOf(thrown);
  return error instanceof SdkHttpError && (error.status === 401 || error.status === 403);
}

/** It knows the session no more, and so has done nothing: the call may be made again in a new one. */
export function sessionIsLost(thrown: unknown): boolean {
  const error = rootOf(thrown);
  return error instanceof SdkHttpError && (error.status === 404 || error.status === 400);
}

/** The SDK wraps what the transport threw. */
function rootOf(thrown: unknown): unknown {
  let error = thrown;
  for (let depth = 0; depth < MOST_CAUSES; depth += 1) {
    if (error instanceof AppError || error instanceof SdkHttpError) return error;
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause === undefined) return error;
    error = cause;
  }
  return error;
}

const MOST_CAUSES = 5;
