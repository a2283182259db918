/** Evaluations that were answered and not written yet when their process was killed: they stand in its journal. */
import { AppError } from "../contract/errors.ts";
import type { Db } from "../db/db.ts";
import {
  findEvaluation,
  insertEvaluations,
  type RecordedEvaluation,
} from "../db/evaluation-events.ts";
import { leftBehind } from "../lib/journal.ts";
import type { Log } from "../lib/log.ts";

export async function recoverEvaluations(db: Db, log: Log, path: string): Promise<void> {
  for (const { lines, remove } of leftBehind(path)) {
    let count = 0;
    for (const recorded of lines.flatMap(read)) {
      try {
        // It may have been killed between the commit and the end of its journal.
        if (await findEvaluation(db, recorded.event.id)) continue;
        await insertEvaluations(db, [recorded]);
        count += 1;
      } catch (thrown) {
        // The next start tries again: serving matters more.
        if (AppError.from(thrown).code === "unavailable") {
          log("evaluations_held", { level: "error", waiting: lines.length, error: thrown });
          return;
        }
        log("evaluation_refused", { level: "error", error: thrown });
      }
    }
    remove();
    log("evaluations_recovered", { level: "info", count });
  }
}

/** Nothing for a line that was cut off: its evaluation was never answered. */
function read(line: string): RecordedEvaluation[] {
  try {
    return [JSON.parse(line)]; // the writer's own words
  } catch {
    return [];
  }
}
