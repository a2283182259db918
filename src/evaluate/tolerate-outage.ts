/** Returns a fallback while the database is unavailable, so that evaluation continues. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";

export async function tolerateOutage<T>(
  { log }: Pick<Deps, "log">,
  work: Promise<T>,
  fallback: T,
): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (AppError.from(thrown).code !== "unavailable") throw thrown;
    log("evaluated_without_database", { level: "warn", error: thrown });
    return fallback;
  }
}
