/** Runs a request with an Idempotency-Key once: a repeat gets the stored reply. */
import { AppError } from "./contract/errors.ts";
import {
  claimReply,
  idempotentReplyTable,
  sealedReply,
  storeReply,
  trimRepliesOf,
} from "./db/tables/idempotent-replies.ts";
import type { Deps } from "./deps.ts";
import { seal, unseal } from "./lib/crypto/seal.ts";
import { elapsedMs } from "./lib/time/clock.ts";

export interface IdempotentRequest {
  /** Hash of the caller, the path and the key. */
  id: string;
  /** A repeat with another body is rejected. */
  request_hash: string;
  /** The collector or token whose stored replies are capped; empty for the admin API. */
  owner: string;
  /** Rejects a wrong key, or one that was used with another body. */
  error: KeyError;
}

type KeyError = "validation_failed" | "invalid_request";

export interface IdempotencyState {
  /** Requests that run now on this node. */
  inFlight: Map<string, { request_hash: string; reply: Promise<string> }>;
  /** Replies stored on this node for each owner since they were last trimmed. */
  untrimmed: Map<string, { rows: number; bytes: number }>;
}

export const createIdempotencyState = (): IdempotencyState => ({
  inFlight: new Map(),
  untrimmed: new Map(),
});

/** Returns the Idempotency-Key; undefined when the request has none. */
export function readIdempotencyKey(headers: Headers, error: KeyError): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (key.length >= 1 && key.length <= 255) return key;
  throw new AppError(error, "Idempotency-Key: must have 1 to 255 characters");
}

type Context = Pick<Deps, "db" | "keyring" | "now" | "idempotency">;

/** Returns the result of a database call, or `otherwise` where an outage is tolerated. */
type Tolerate = <T>(result: Promise<T>, otherwise: T) => Promise<T>;

const tolerateNothing: Tolerate = (result) => result;

/**
 * Concurrent repeats on this node share one reply; those on other nodes wait for it. Work that fails may be repeated
 * at once. In a transaction, the caller must hold the lock that changes are made under.
 */
export async function runOnce(
  context: Context,
  request: IdempotentRequest,
  work: () => Promise<string>,
  tolerate = tolerateNothing,
): Promise<string> {
  const { inFlight } = context.idempotency;
  const { id, request_hash } = request;
  const running = inFlight.get(id);
  if (running && running.request_hash !== request_hash) throw usedBefore(request);
  if (running) return await running.reply;
  const reply = replayOrRun(context, request, work, tolerate);
  inFlight.set(id, { request_hash, reply });
  try {
    return await reply;
  } finally {
    inFlight.delete(id);
  }
}

async function replayOrRun(
  context: Context,
  request: IdempotentRequest,
  work: () => Promise<string>,
  tolerate: Tolerate,
): Promise<string> {
  const { db, keyring } = context;
  const { id, request_hash, owner } = request;
  const row = { id, request_hash, owner, created_at: context.now().toISOString() };
  const isFirst = await tolerate(claimReply(db, row), true);
  const earlier = isFirst ? undefined : await findReply(context, request, tolerate);
  if (earlier !== undefined) return earlier;
  try {
    const text = await work();
    const reply = seal(keyring(), sealedReply(id), text);
    const bytes = reply.length;
    await tolerate(storeReply(db, { ...row, reply, bytes }), undefined);
    if (isTrimDue(context, owner, bytes)) await tolerate(trimRepliesOf(db, owner), 0);
    return text;
  } catch (thrown) {
    // Fails in a transaction that is broken: its rollback removes the claim.
    await idempotentReplyTable.remove(db, { id, reply: "" }).catch(() => {});
    throw thrown;
  }
}

/** Returns the stored reply, and waits for one in progress on another node; undefined when that node failed or stopped. */
async function findReply(
  { db, keyring }: Context,
  request: IdempotentRequest,
  tolerate: Tolerate,
): Promise<string | undefined> {
  const { id, request_hash } = request;
  for (const began = elapsedMs(); elapsedMs() - began < MAX_WAIT_MS; ) {
    const earlier = await tolerate(idempotentReplyTable.find(db, { id }), undefined);
    if (earlier && earlier.request_hash !== request_hash) throw usedBefore(request);
    if (earlier?.reply !== "") return earlier && unseal(keyring(), sealedReply(id), earlier.reply);
    await Bun.sleep(POLL_MS);
  }
  return undefined;
}

/** Most requests take milliseconds; a node that was killed must not delay a client for longer. */
const MAX_WAIT_MS = 5_000;
const POLL_MS = 20;

const usedBefore = ({ error }: IdempotentRequest): AppError =>
  new AppError(error, "Idempotency-Key: was used before with another body; choose a new key");

/** An owner may store this much before the oldest replies beyond its cap are deleted. */
const TRIM_AFTER = { rows: 100, bytes: 4 * 1024 * 1024 };

function isTrimDue({ idempotency }: Context, owner: string, bytes: number): boolean {
  if (owner === "") return false;
  const { untrimmed } = idempotency;
  const stored = untrimmed.get(owner) ?? { rows: 0, bytes: 0 };
  stored.rows += 1;
  stored.bytes += bytes;
  const isDue = stored.rows >= TRIM_AFTER.rows || stored.bytes >= TRIM_AFTER.bytes;
  if (isDue) untrimmed.delete(owner);
  else untrimmed.set(owner, stored);
  return isDue;
}
