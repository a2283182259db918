/** Converts an error of an upstream call to an AppError. */
import { AppError } from "../contract/errors.ts";

/** Keeps the original in `cause`, for the log. */
export function toUpstreamError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const { name } = (thrown ?? {}) as { name?: unknown }; // anything can be thrown
  const options = { cause: thrown };
  if (name === "AbortError") {
    return new AppError("invalid_request", "The request was canceled.", options);
  }
  if (name === "TimeoutError") return new AppError("upstream_timeout", undefined, options);
  return new AppError("upstream_failed", undefined, options);
}
