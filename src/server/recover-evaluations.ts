/** Evaluations that were answered and not written yet when their process was killed: they stand in its journal. */
import { AppError } from "../contract/errors.ts";
import type { Db } from "../db/db.ts";
import { insertEvaluations, type RecordedEvaluation } from "../db/evaluation-events.ts";
import type { LeftBehind } from "../lib/journal.ts";
import type { Log } from "../lib/log.ts";

/** Gives those back that could not be written now: serving matters more. */
export async function recoverEvaluations(
  db: Db,
  log: Log,
  journals: readonly LeftBehind[],
): Promise<LeftBehind[]> {
  const held: LeftBehind[] = [];
  for (const journal of journals) {
    try {
      const count = await recover(db, log, journal.lines());
      journal.remove();
      log("evaluations_recovered", { level: "info", count });
    } catch (thrown) {
      log("evaluations_held", { level: "error", file: journal.file, error: thrown });
      held.push(journal);
    }
  }
  return held;
}

async function recover(db: Db, log: Log, lines: readonly string[]): Promise<number> {
  let count = 0;
  for (const recorded of lines.flatMap(read)) {
    try {
      await insertEvaluations(db, [recorded]);
      count += 1;
    } catch (thrown) {
      const { code } = AppError.from(thrown);
      if (code === "unavailable") throw thrown;
      // It may have been killed between the commit and the end of its journal.
      if (code !== "already_exists") log("evaluation_refused", { level: "error", error: thrown });
    }
  }
  return count;
}

/** Nothing for a line that was cut off: its evaluation was never answered. */
function read(line: string): RecordedEvaluation[] {
  try {
    return [JSON.parse(line)]; // the writer's own words
  } catch {
    return [];
  }
}
