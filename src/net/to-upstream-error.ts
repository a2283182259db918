/** Which of our errors is a call to an upstream that was given up or broke off? */
import { AppError } from "../contract/errors.ts";

/** The original stays in `cause`, for the log. */
export function toUpstreamError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const { name } = (thrown ?? {}) as { name?: unknown }; // anything can be thrown
  const options = { cause: thrown };
  if (name === "AbortError") {
    return new AppError("invalid_request", "The request was cancelled.", options);
  }
  if (name === "TimeoutError") return new AppError("upstream_timeout", undefined, options);
  return new AppError("upstream_failed", undefined, options);
}
