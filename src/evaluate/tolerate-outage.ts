/** Evaluation goes on while the database is away: what cannot be looked up or kept is done without. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";

export async function tolerateOutage<T>(
  { log }: Pick<Deps, "log">,
  work: Promise<T>,
  otherwise: T,
): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (AppError.from(thrown).code !== "unavailable") throw thrown;
    log("evaluated_without_database", { level: "warn", error: thrown });
    return otherwise;
  }
}
