/** The idempotent_replies table: what a POST with an Idempotency-Key was answered. */
import type { SealContext } from "../lib/seal.ts";
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
}

export const idempotentReplyTable = table<IdempotentReply>({
  name: "idempotent_replies",
  columns: { id: "text", request_hash: "text", reply: "text", created_at: "text" },
  search: [],
  sort: ["created_at"],
});

export const sealedReply = (id: string): SealContext => sealedIn("idempotent_replies.reply", id);

export const dropIdempotentReplies = (db: Db, olderThan: Date): Promise<number> =>
  dropInSteps(db, "idempotent_replies", "created_at < $1", olderThan.toISOString());

/** Whether nobody was asked this before: of two nodes that are asked at once, one is. Its reply is empty until it is known. */
export async function claimReply(db: Db, row: Omit<IdempotentReply, "reply">): Promise<boolean> {
  const claimed = await db.run(
    `INSERT INTO idempotent_replies (id, request_hash, reply, created_at) VALUES ($1, $2, '', $3)
     ON CONFLICT (id) DO NOTHING`,
    ...[row.id, row.request_hash, row.created_at],
  );
  return claimed > 0;
}

/** The first to write stands. */
export async function keepReply(db: Db, row: IdempotentReply): Promise<void> {
  await db.run(
    `INSERT INTO idempotent_replies (id, request_hash, reply, created_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (id) DO UPDATE SET reply = excluded.reply WHERE idempotent_replies.reply = ''`,
    ...[row.id, row.request_hash, row.reply, row.created_at],
  );
}
