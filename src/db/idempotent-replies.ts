/** The idempotent_replies table: what a POST with an Idempotency-Key was answered. */
import type { SealContext } from "../lib/crypto/seal.ts";
import type { Db } from "./db.ts";
import { dropInSteps } from "./drop-in-steps.ts";
import { sealedIn } from "./sealed-texts.ts";
import { table } from "./table.ts";

export interface IdempotentReply {
  /** Hash of who called, where, and with which Idempotency-Key. */
  id: string;
  request_hash: string;
  reply: string;
  created_at: string;
  /** The collector or token whose evaluation it was; empty for the admin API. */
  owner: string;
  /** Of the reply. */
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

export const sealedReply = (id: string): SealContext => sealedIn("idempotent_replies.reply", id);

export const dropIdempotentReplies = (db: Db, olderThan: Date): Promise<number> =>
  dropInSteps(db, "idempotent_replies", "created_at < $1", olderThan.toISOString());

/** A client retries within minutes: these are many hours of a busy one. */
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

/** Whether nobody was asked this before: of two nodes that are asked at once, one is. Its reply is empty until it is known. */
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

/** The first to write stands. */
export async function keepReply(db: Db, row: IdempotentReply): Promise<void> {
  await db.run(
    `INSERT INTO idempotent_replies (id, request_hash, reply, created_at, owner, bytes)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET reply = excluded.reply, bytes = excluded.bytes
     WHERE idempotent_replies.reply = ''`,
    ...[row.id, row.request_hash, row.reply, row.created_at, row.owner, row.bytes],
  );
}
