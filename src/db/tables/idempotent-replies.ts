/** The idempotent_replies table: responses to POST requests with an Idempotency-Key. */
import type { SealContext } from "../../lib/crypto/seal.ts";
import type { Db } from "../db.ts";
import { deleteInBatches } from "../delete-in-batches.ts";
import { sealContextOf } from "../sealed-columns.ts";
import { table } from "../table.ts";

export interface IdempotentReply {
  /** Hash of the caller, the path and the Idempotency-Key. */
  id: string;
  request_hash: string;
  reply: string;
  created_at: string;
  /** The collector or token whose evaluation it was; empty for the admin API. */
  owner: string;
  /** Size of the reply. */
  bytes: number;
}

export const idempotentReplyTable = table<IdempotentReply>({
  name: "idempotent_replies",
  columns: {
    id: "text",
    request_hash: "text",
    reply: "text",
    created_at: "text",
    owner: "text",
    bytes: "number",
  },
  search: [],
  sort: ["created_at"],
});

export const sealedReply = (id: string): SealContext =>
  sealContextOf("idempotent_replies.reply", id);

export const deleteExpiredReplies = (db: Db, olderThan: Date): Promise<number> =>
  deleteInBatches(db, "idempotent_replies", "created_at < $1", olderThan.toISOString());

/** Clients retry within minutes; these limits cover many hours of a busy client. */
const PER_OWNER = { rows: 10_000, bytes: 64 * 1024 * 1024 };
const OVERALL = { rows: 100_000, bytes: 512 * 1024 * 1024 };

/** Deletes the oldest replies to evaluations beyond the bounds of one owner. */
export const trimRepliesOf = (db: Db, owner: string): Promise<number> =>
  trimReplies(db, PER_OWNER, "owner = $3", owner);

/** Deletes the oldest replies to evaluations beyond the bounds of each owner, and of all together. */
export async function trimAllReplies(db: Db): Promise<void> {
  const owners = await db.many<{ owner: string }>(
    "SELECT DISTINCT owner FROM idempotent_replies WHERE owner <> ''",
  );
  for (const { owner } of owners) await trimRepliesOf(db, owner);
  await trimReplies(db, OVERALL, "owner <> $3", "");
}

const trimReplies = (
  db: Db,
  { rows, bytes }: { rows: number; bytes: number },
  condition: string,
  owner: string,
): Promise<number> =>
  db.run(
    `DELETE FROM idempotent_replies WHERE id IN (
       SELECT id FROM (
         SELECT id, ROW_NUMBER() OVER latest AS place, SUM(bytes) OVER latest AS total
           FROM idempotent_replies WHERE ${condition}
           WINDOW latest AS (ORDER BY created_at DESC, id DESC)
       ) AS ranked WHERE place > $1 OR total > $2)`,
    ...[rows, bytes, owner],
  );

/** Claims a key. Returns false if it is already claimed, by this or another node. The reply is empty until it is stored. */
export async function claimReply(
  db: Db,
  row: Omit<IdempotentReply, "reply" | "bytes">,
): Promise<boolean> {
  const claimed = await db.run(
    `INSERT INTO idempotent_replies (id, request_hash, reply, created_at, owner)
     VALUES ($1, $2, '', $3, $4) ON CONFLICT (id) DO NOTHING`,
    ...[row.id, row.request_hash, row.created_at, row.owner],
  );
  return claimed > 0;
}

/** Stores a reply unless one is stored already. */
export async function storeReply(db: Db, row: IdempotentReply): Promise<void> {
  await db.run(
    `INSERT INTO idempotent_replies (id, request_hash, reply, created_at, owner, bytes)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET reply = excluded.reply, bytes = excluded.bytes
     WHERE idempotent_replies.reply = ''`,
    ...[row.id, row.request_hash, row.reply, row.created_at, row.owner, row.bytes],
  );
}
