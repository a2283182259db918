/** Writes the events in journals of earlier processes to the database, each once. */
import { AppError } from "../../contract/errors.ts";
import type { AbandonedJournal } from "../../lib/journal.ts";
import type { Log } from "../../lib/log.ts";

/** Rows in one statement: recovering 100,000 events must not take minutes at start. */
const BATCH = 64;

export interface Recovered<Event> {
  /** Prefix of the log events. */
  kind: "events" | "evaluations";
  insert: (events: readonly Event[]) => Promise<void>;
}

/** Returns the journals that could not be written yet. They do not delay the start. */
export async function recoverEvents<Event>(
  log: Log,
  journals: readonly AbandonedJournal[],
  { kind, insert }: Recovered<Event>,
): Promise<AbandonedJournal[]> {
  /** Returns how many were new. Throws only when the database is unavailable. */
  const write = async (events: readonly Event[]): Promise<number> => {
    try {
      await insert(events);
      return events.length;
    } catch (thrown) {
      const { code } = AppError.from(thrown);
      if (code === "unavailable") throw thrown;
      if (events.length > 1) {
        let count = 0;
        for (const event of events) count += await write([event]);
        return count;
      }
      // already_exists: the process was killed between the commit and the removal of its journal.
      if (code !== "already_exists") log(`${kind}_refused`, { level: "error", error: thrown });
      return 0;
    }
  };
  const held: AbandonedJournal[] = [];
  for (const journal of journals) {
    try {
      const events = journal.lines().flatMap(parsed<Event>);
      let count = 0;
      for (let at = 0; at < events.length; at += BATCH) {
        count += await write(events.slice(at, at + BATCH));
      }
      journal.remove();
      log(`${kind}_recovered`, { level: "info", count });
    } catch (thrown) {
      log(`${kind}_held`, { level: "error", file: journal.file, error: thrown });
      held.push(journal);
    }
  }
  return held;
}

/** Empty for a truncated line: its event was never acknowledged. */
function parsed<Event>(line: string): Event[] {
  try {
    return [JSON.parse(line)]; // written by this program
  } catch {
    return [];
  }
}
