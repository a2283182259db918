/**
 * Lists the subjects that a rate limit has blocked. The database shares blocks with every node through the snapshot;
 * a block that this node adds applies at once and is written shortly after.
 */
import type { LimitType } from "../../contract/gateway/limits.ts";
import { changeConfig, configRevision } from "../../db/config-revision.ts";
import type { Db } from "../../db/db.ts";
import {
  type BlockExpiries,
  type BlockedSubject,
  blockName,
  deleteExpiredBlocks,
  NEVER_EXPIRES,
  saveBlockedSubject,
} from "../../db/tables/blocked-subjects.ts";
import type { Log } from "../../lib/log.ts";

/** Caps the blocks of a gateway, because any user id can be blocked; above it, limits only reject. */
export const MAX_BLOCKS = 10_000;

export interface BlockListDeps {
  db: Db;
  snapshot: () => { revision: number; blocks: BlockExpiries };
  now: () => Date;
  newId: () => string;
  log: Log;
}

export interface BlockList {
  /** Returns when the block of a subject ends, in milliseconds; undefined when it is not blocked. */
  endOf(gateway_id: string, type: LimitType, subject: string, nowMs: number): number | undefined;
  add(block: Pick<BlockedSubject, "gateway_id" | "type" | "subject">, forMs: number): void;
  /** Writes the blocks that are not stored yet. */
  stop(): Promise<void>;
}

interface NewBlock {
  row: BlockedSubject;
  ends: number;
  /** First revision of the configuration that includes it; undefined until it is written. */
  revision: number | undefined;
}

export function createBlockList({ db, snapshot, now, newId, log }: BlockListDeps): BlockList {
  /** Blocks that are not in the snapshot yet, by gateway and `blockName`. */
  const newBlocks = new Map<string, NewBlock>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Repeats as long as there are new blocks. */
  const write = async () => {
    timer = undefined;
    for (const [key, { revision }] of newBlocks) {
      if (revision !== undefined && revision <= snapshot().revision) newBlocks.delete(key);
    }
    const unwritten = [...newBlocks.values()].filter(({ revision }) => revision === undefined);
    try {
      const revision =
        unwritten.length > 0 ? await save(unwritten.map(({ row }) => row)) : undefined;
      for (const block of unwritten) block.revision = revision;
    } catch (thrown) {
      log("blocks_not_written", { level: "error", count: unwritten.length, error: thrown });
    }
    if (newBlocks.size > 0) timer ??= setTimeout(write, RETRY_MS);
  };

  const save = (rows: readonly BlockedSubject[]): Promise<number> =>
    changeConfig(db, async (tx) => {
      await deleteExpiredBlocks(tx, now().toISOString());
      for (const row of rows) await saveBlockedSubject(tx, row);
      return await configRevision(tx);
    });

  /** Ignores a block once the snapshot includes it, because an administrator may have lifted it since. */
  const findNewEnd = (key: string): number | undefined => {
    const block = newBlocks.get(key);
    return block && snapshot().revision < (block.revision ?? Infinity) ? block.ends : undefined;
  };

  return {
    endOf(gateway_id, type, subject, nowMs) {
      const stored = snapshot().blocks.get(gateway_id);
      if (!stored && newBlocks.size === 0) return undefined;
      const name = blockName(type, subject);
      const end = findNewEnd(gateway_id + name) ?? stored?.get(name);
      return end !== undefined && end > nowMs ? end : undefined;
    },
    add({ gateway_id, type, subject }, forMs) {
      if ((snapshot().blocks.get(gateway_id)?.size ?? 0) + newBlocks.size >= MAX_BLOCKS) {
        log("blocks_full", { level: "error", gateway_id, max: MAX_BLOCKS });
        return;
      }
      const at = now();
      const ends = at.getTime() + forMs;
      const ends_at = ends === Infinity ? NEVER_EXPIRES : new Date(ends).toISOString();
      const row = { id: newId(), gateway_id, type, subject, ends_at, created_at: at.toISOString() };
      newBlocks.set(gateway_id + blockName(type, subject), { row, ends, revision: undefined });
      log("subject_blocked", { level: "warn", gateway_id, type, subject, ends_at });
      timer ??= setTimeout(write, DEBOUNCE_MS);
    },
    async stop() {
      await write();
      clearTimeout(timer);
    },
  };
}

/** Debounces writes, so that simultaneous blocks are one change of the configuration. */
const DEBOUNCE_MS = 100;
const RETRY_MS = 1_000;
