/** Which of our errors is a failed call to an upstream, and did the upstream certainly see nothing of it? */
import { AppError } from "../contract/errors.ts";

/** For what `fetch` or the reading of its answer threw. The original stays in `cause`, for the log. */
export function asUpstreamError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const { name, code } = (thrown ?? {}) as { name?: unknown; code?: unknown }; // anything can be thrown
  const options = { cause: thrown };
  if (name === "AbortError") {
    return new AppError("invalid_request", "The request was cancelled.", options);
  }
  if (name === "TimeoutError") return new AppError("upstream_timeout", undefined, options);
  if (NOTHING_SENT.test(String(code)))
    return new AppError("upstream_unreachable", undefined, options);
  return new AppError("upstream_failed", undefined, options);
}

/**
 * A refused connection, or a certificate we did not accept. Nothing else is sure: EHOSTUNREACH can also
 * end a connection that carried the request, and a reset can come after the upstream began to work.
 */
const NOTHING_SENT = /^ECONNREFUSED$|CERT|^UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)_/;
