/** Detects that tools may have changed, by configuration, an install, an approval or an account, on any node. */
import { storeRevision } from "../../db/config-revision.ts";
import type { Deps } from "../../deps.ts";

const POLL_MS = 500;

export function watchChanges(deps: Deps, onChange: () => void): { stop: () => void } {
  // The first poll reports a change, because one may have preceded it.
  let known = "";
  let isPolling = false;
  const poll = async () => {
    const store = await storeRevision(deps.db);
    // The snapshot of this node, not the database's revision: a change is listed only once it is in force here.
    const now = `${deps.snapshot().state}/${store}`;
    if (now !== known) onChange();
    known = now;
  };
  const timer = setInterval(async () => {
    if (isPolling) return;
    isPolling = true;
    // The configuration watcher logs database errors.
    await poll().catch(() => {});
    isPolling = false;
  }, POLL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
