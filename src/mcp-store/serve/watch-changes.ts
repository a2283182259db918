/** Tells that tools may have changed for somebody: by configuration, an install, an approval or an account, on any node. */
import { storeRevision } from "../../db/config-revision.ts";
import type { Deps } from "../../deps.ts";

const POLL_MS = 500;

export function watchChanges(deps: Deps, changed: () => void): { stop: () => void } {
  // The first look finds a change: there may have been one before it.
  let seen = "";
  let looking = false;
  const look = async () => {
    const store = await storeRevision(deps.db);
    // Not the database's state: what is not in force here yet would be listed as it was.
    const now = `${deps.snapshot().state}/${store}`;
    if (now !== seen) changed();
    seen = now;
  };
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    // Whoever watches the configuration logs that the database is lost.
    await look().catch(() => {});
    looking = false;
  }, POLL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
