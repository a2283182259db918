/** A POST that carries an Idempotency-Key happens once, however often it is sent. */
import { AppError } from "../../contract/errors.ts";
import { idempotentReplyTable, sealedReply } from "../../db/idempotent-replies.ts";
import type { Deps } from "../../deps.ts";
import { seal, unseal } from "../../lib/crypto/seal.ts";
import { hashSecret } from "../../lib/crypto/secrets.ts";

export interface Once {
  /** Who, where and which key. */
  id: string;
  /** What was asked: the same key with another body is a mistake. */
  request_hash: string;
}

export function onceOf(
  key: string | null,
  call: { actor_id: string | null; path: string; body: unknown },
): Once | undefined {
  if (key === null) return undefined;
  if (key.length < 1 || key.length > 255) {
    throw new AppError("validation_failed", "Idempotency-Key: must have 1 to 255 characters");
  }
  return {
    id: hashSecret(JSON.stringify([call.actor_id, call.path, key])),
    request_hash: hashSecret(JSON.stringify(call.body ?? null)),
  };
}

/**
 * Runs inside the transaction of the change. The row is written first: a second call with the same
 * key waits for it, fails on it, and finds the stored reply when it tries again.
 */
export async function answerOnce(
  deps: Deps,
  once: Once | undefined,
  work: () => Promise<unknown>,
): Promise<unknown> {
  if (!once) return await work();
  const earlier = await idempotentReplyTable.find(deps.db, { id: once.id });
  if (earlier) {
    if (earlier.request_hash !== once.request_hash) {
      throw new AppError(
        "validation_failed",
        "Idempotency-Key: was used before with another body; choose a new key",
      );
    }
    return JSON.parse(unseal(deps.keyring(), sealedReply(once.id), earlier.reply) ?? "null");
  }
  const created_at = deps.now().toISOString();
  const row = { ...once, reply: "", created_at, owner: "", bytes: 0 };
  await idempotentReplyTable.insert(deps.db, row);
  const reply = await work();
  if (reply instanceof AppError) {
    // A refusal holds for its moment only: the same call may be made again later.
    await idempotentReplyTable.remove(deps.db, { id: once.id });
    return reply;
  }
  const sealed = seal(deps.keyring(), sealedReply(once.id), JSON.stringify(reply ?? null));
  await idempotentReplyTable.update(deps.db, once.id, { reply: sealed });
  return reply;
}
