/** Builds the error of a stream that cannot be evaluated; the fail mode of the collector decides what happens. */
import { AppError } from "../../../contract/errors.ts";

/** `problem` names no text of the upstream. */
export const unreadable = (problem: string): AppError =>
  new AppError("upstream_failed", `The stream cannot be evaluated: ${problem}.`);
