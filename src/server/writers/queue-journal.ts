/** Copies queued events to a journal while the database does not take them, so that they outlive the process. */
import { AppError } from "../../contract/errors.ts";
import type { Journal } from "../../lib/journal.ts";
import type { Log } from "../../lib/log.ts";

/** A write that takes longer counts as failing: its events are at risk until it returns. */
const SLOW_MS = 250;

export interface QueueJournal<Event> {
  /** Runs `write`. Stores the whole queue when that takes longer than 250 ms or the database is unavailable. */
  during: (write: () => Promise<void>, queue: () => readonly Event[]) => Promise<void>;
  /** Whether the last write was slow or failed. New events are stored as they come then. */
  isBehind: () => boolean;
  /** Returns whether the event is on disk now. */
  store: (event: Event) => boolean;
  /** Forgets events that are in the database; removes the file with the last of them. */
  remove: (events: readonly Event[]) => void;
  /** How many of these would be lost with the process. */
  missing: (events: readonly Event[]) => number;
}

/** Logs at shutdown what the database did not take: events in the journal are recovered by the next start. */
export function reportUnwritten(log: Log, kind: string, count: number, lost: number): void {
  if (lost) log(`${kind}_dropped`, { level: "error", count: lost });
  if (count > lost) log(`${kind}_left_in_journal`, { level: "warn", count: count - lost });
}

export function queueJournal<Event extends object>(
  journal: Journal | undefined,
  log: Log,
): QueueJournal<Event> {
  const stored = new Set<Event>();
  let behind = false;
  let failing = false;

  const failed = (thrown: unknown) => {
    if (!failing) log("journal_failed", { level: "error", error: thrown });
    failing = true;
  };
  const store = (event: Event): boolean => {
    if (!journal) return false;
    if (stored.has(event)) return true;
    try {
      journal.append(JSON.stringify(event));
      failing = false;
    } catch (thrown) {
      failed(thrown);
      return false;
    }
    stored.add(event);
    return true;
  };
  const storeAll = (events: readonly Event[]) => {
    behind = true;
    for (const event of events) if (!store(event)) return;
  };
  return {
    async during(write, queue) {
      const slow = setTimeout(() => storeAll(queue()), SLOW_MS);
      try {
        await write();
        behind = false;
      } catch (thrown) {
        if (AppError.from(thrown).code === "unavailable") storeAll(queue());
        throw thrown;
      } finally {
        clearTimeout(slow);
      }
    },
    isBehind: () => behind,
    store,
    remove(events) {
      if (stored.size === 0) return;
      for (const event of events) stored.delete(event);
      if (stored.size > 0) return;
      try {
        journal?.clear();
      } catch (thrown) {
        failed(thrown);
      }
    },
    missing: (events) => events.filter((event) => !stored.has(event)).length,
  };
}
