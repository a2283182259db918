/** The blocked_subjects table: subjects that a rate limit with the action `block` rejects. */
import type { LimitType } from "../../contract/gateway/limits.ts";
import type { Db } from "../db.ts";
import { table } from "../table.ts";

/** Expiry of a block without one, so that expiries can be compared. */
export const NEVER_EXPIRES = "9999-12-31T23:59:59.999Z";

export interface BlockedSubject {
  id: string;
  gateway_id: string;
  type: LimitType;
  subject: string;
  ends_at: string;
  created_at: string;
}

export const blockedSubjectTable = table<BlockedSubject>({
  name: "blocked_subjects",
  columns: {
    id: "text",
    gateway_id: "text",
    type: "text",
    subject: "text",
    ends_at: "text",
    created_at: "text",
  },
  search: ["subject"],
  sort: ["-created_at"],
});

/** Block expiries in milliseconds, by gateway and then by `blockName`. */
export type BlockExpiries = ReadonlyMap<string, ReadonlyMap<string, number>>;

export const blockName = (type: LimitType, subject: string): string => `${type}:${subject}`;

export async function readBlockExpiries(db: Db): Promise<BlockExpiries> {
  const ends = new Map<string, Map<string, number>>();
  for (const { gateway_id, type, subject, ends_at } of await blockedSubjectTable.all(db)) {
    const mine = ends.get(gateway_id) ?? new Map<string, number>();
    const end = ends_at === NEVER_EXPIRES ? Infinity : Date.parse(ends_at);
    ends.set(gateway_id, mine.set(blockName(type, subject), end));
  }
  return ends;
}

/** Sets the expiry of an existing block. Writes nothing for a deleted gateway. */
export async function saveBlockedSubject(db: Db, row: BlockedSubject): Promise<void> {
  await db.run(
    `INSERT INTO blocked_subjects (id, gateway_id, type, subject, ends_at, created_at)
     SELECT $1, id, $2, $3, $4, $5 FROM gateways WHERE id = $6
     ON CONFLICT (gateway_id, type, subject)
     DO UPDATE SET ends_at = excluded.ends_at, created_at = excluded.created_at`,
    row.id,
    row.type,
    row.subject,
    row.ends_at,
    row.created_at,
    // Last: SQLite numbers the parameters in the order of their occurrence.
    row.gateway_id,
  );
}

export async function deleteExpiredBlocks(db: Db, at: string): Promise<void> {
  await db.run("DELETE FROM blocked_subjects WHERE ends_at <= $1", at);
}
