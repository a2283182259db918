/**
 * Who is blocked? The database says so to every node, by way of the snapshot. A block that was made
 * here counts at once and is written a moment later.
 */
import type { LimitType } from "../../contract/limits.ts";
import {
  type BlockExpiries,
  type BlockedSubject,
  blockName,
  deleteExpiredBlocks,
  NEVER_EXPIRES,
  saveBlockedSubject,
} from "../../db/blocked-subjects.ts";
import { changeConfig, configRevision } from "../../db/config-revision.ts";
import type { Db } from "../../db/db.ts";
import type { Log } from "../../lib/log.ts";

/** What every user id could fill: over this many, a gateway's limit only rejects. */
export const MAX_BLOCKS = 10_000;

export interface BlockListDeps {
  db: Db;
  snapshot: () => { revision: number; blocks: BlockExpiries };
  now: () => Date;
  newId: () => string;
  log: Log;
}

export interface BlockList {
  /** When the block of a subject ends, in milliseconds; undefined when it is not blocked. */
  endOf(gateway_id: string, type: LimitType, subject: string, nowMs: number): number | undefined;
  add(block: Pick<BlockedSubject, "gateway_id" | "type" | "subject">, forMs: number): void;
  /** Writes what is not written yet. */
  stop(): Promise<void>;
}

interface Fresh {
  row: BlockedSubject;
  ends: number;
  /** The first revision of the configuration that holds it; undefined until it is written. */
  revision: number | undefined;
}

export function createBlockList({ db, snapshot, now, newId, log }: BlockListDeps): BlockList {
  /** By gateway and `blockName`: those that the snapshot does not know yet. */
  const fresh = new Map<string, Fresh>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Runs on for as long as something is fresh. */
  const write = async () => {
    timer = undefined;
    for (const [key, { revision }] of fresh) {
      if (revision !== undefined && revision <= snapshot().revision) fresh.delete(key);
    }
    const due = [...fresh.values()].filter(({ revision }) => revision === undefined);
    try {
      const revision = due.length > 0 ? await save(due.map(({ row }) => row)) : undefined;
      for (const block of due) block.revision = revision;
    } catch (thrown) {
      log("blocks_not_written", { level: "error", count: due.length, error: thrown });
    }
    if (fresh.size > 0) timer ??= setTimeout(write, AGAIN_MS);
  };

  const save = (rows: readonly BlockedSubject[]): Promise<number> =>
    changeConfig(db, async (tx) => {
      await deleteExpiredBlocks(tx, now().toISOString());
      for (const row of rows) await saveBlockedSubject(tx, row);
      return await configRevision(tx);
    });

  /** Once the snapshot is as new as the row, the snapshot alone counts: the block may be lifted. */
  const freshEnd = (key: string): number | undefined => {
    const block = fresh.get(key);
    return block && snapshot().revision < (block.revision ?? Infinity) ? block.ends : undefined;
  };

  return {
    endOf(gateway_id, type, subject, nowMs) {
      const stored = snapshot().blocks.get(gateway_id);
      if (!stored && fresh.size === 0) return undefined;
      const name = blockName(type, subject);
      const end = freshEnd(gateway_id + name) ?? stored?.get(name);
      return end !== undefined && end > nowMs ? end : undefined;
    },
    add({ gateway_id, type, subject }, forMs) {
      if ((snapshot().blocks.get(gateway_id)?.size ?? 0) + fresh.size >= MAX_BLOCKS) {
        log("blocks_full", { level: "error", gateway_id, most: MAX_BLOCKS });
        return;
      }
      const at = now();
      const ends = at.getTime() + forMs;
      const ends_at = ends === Infinity ? NEVER_EXPIRES : new Date(ends).toISOString();
      const row = { id: newId(), gateway_id, type, subject, ends_at, created_at: at.toISOString() };
      fresh.set(gateway_id + blockName(type, subject), { row, ends, revision: undefined });
      log("subject_blocked", { level: "warn", gateway_id, type, subject, ends_at });
      timer ??= setTimeout(write, SOON_MS);
    },
    async stop() {
      await write();
      clearTimeout(timer);
    },
  };
}

/** Many that come together are one change of the configuration. */
const SOON_MS = 100;
const AGAIN_MS = 1_000;
