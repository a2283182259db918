/** An evaluation with an Idempotency-Key happens once: a client that tries again gets the same verdict, and no second event. */
import { AppError } from "../contract/errors.ts";
import {
  claimReply,
  idempotentReplyTable,
  keepReply,
  sealedReply,
  trimRepliesOf,
} from "../db/idempotent-replies.ts";
import type { Deps } from "../deps.ts";
import { seal, unseal } from "../lib/crypto/seal.ts";
import { hashSecret } from "../lib/crypto/secrets.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import type { DirectCall } from "../route.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "./identify-caller.ts";
import { tolerateOutage } from "./tolerate-outage.ts";

export function onlyOnce(
  deps: Deps,
  { request, endpoint }: DirectCall,
  asked: { caller: Caller; body: Uint8Array },
  work: () => Promise<string>,
): Promise<string> {
  const key = request.headers.get("idempotency-key");
  return key === null ? work() : onceByKey(deps, key, { ...asked, path: endpoint.path }, work);
}

async function onceByKey(
  deps: Deps,
  key: string,
  { caller, body, path }: { caller: Caller; body: Uint8Array; path: string },
  work: () => Promise<string>,
): Promise<string> {
  if (key.length < 1 || key.length > 255) {
    throw new AppError("invalid_request", "Idempotency-Key: must have 1 to 255 characters");
  }
  const who = caller.kind === "administrator" ? caller.token_id : caller.collector.id;
  const id = hashSecret(JSON.stringify([caller.kind, who, path, key]));
  const request_hash = Bun.SHA256.hash(body, "hex");
  const running = stateOf(deps.settings).inFlight;
  // Tried again before the first answer was there: both get that one.
  const same = running.get(id);
  if (same && same.request_hash !== request_hash) throw usedBefore();
  if (same) return await same.answer;
  const answer = answerOnce(deps, { id, request_hash, owner: who }, work);
  running.set(id, { request_hash, answer });
  try {
    return await answer;
  } finally {
    running.delete(id);
  }
}

async function answerOnce(
  deps: Deps,
  once: { id: string; request_hash: string; owner: string },
  work: () => Promise<string>,
): Promise<string> {
  const row = { ...once, created_at: deps.now().toISOString() };
  const first = await tolerateOutage(deps, claimReply(deps.db, row), true);
  const known = first ? undefined : await earlierReply(deps, once);
  if (known !== undefined) return known;
  try {
    const text = await work();
    const reply = seal(deps.keyring(), sealedReply(once.id), text);
    const bytes = reply.length;
    await tolerateOutage(deps, keepReply(deps.db, { ...row, reply, bytes }), undefined);
    if (isTrimDue(deps, once.owner, bytes)) {
      await tolerateOutage(deps, trimRepliesOf(deps.db, once.owner), 0);
    }
    return text;
  } catch (thrown) {
    // What failed may be tried again at once.
    const claim = { id: once.id, reply: "" };
    await tolerateOutage(deps, idempotentReplyTable.remove(deps.db, claim), 0);
    throw thrown;
  }
}

/** What was answered before, also by a node that is still at it; undefined when that one failed, or ended before it knew. */
async function earlierReply(
  deps: Deps,
  { id, request_hash }: { id: string; request_hash: string },
): Promise<string | undefined> {
  for (const began = elapsedMs(); elapsedMs() - began < AWAITED_MS; ) {
    const found = idempotentReplyTable.find(deps.db, { id });
    const earlier = await tolerateOutage(deps, found, undefined);
    if (earlier && earlier.request_hash !== request_hash) throw usedBefore();
    if (earlier?.reply !== "") {
      return earlier && unseal(deps.keyring(), sealedReply(id), earlier.reply);
    }
    await Bun.sleep(LOOK_EVERY_MS);
  }
  return undefined;
}

/** Most evaluations are over in milliseconds; a node that was killed must not keep a client for longer. */
const AWAITED_MS = 5_000;
const LOOK_EVERY_MS = 20;

const usedBefore = () =>
  new AppError(
    "invalid_request",
    "Idempotency-Key: was used before with another body; choose a new key",
  );

/** How much one owner may store before the oldest of it is deleted again. */
const TRIM_AFTER = { rows: 100, bytes: 4 * 1024 * 1024 };

function isTrimDue({ settings }: Deps, owner: string, bytes: number): boolean {
  const { untrimmed } = stateOf(settings);
  const stored = untrimmed.get(owner) ?? { rows: 0, bytes: 0 };
  stored.rows += 1;
  stored.bytes += bytes;
  const isDue = stored.rows >= TRIM_AFTER.rows || stored.bytes >= TRIM_AFTER.bytes;
  if (isDue) untrimmed.delete(owner);
  else untrimmed.set(owner, stored);
  return isDue;
}

interface State {
  inFlight: Map<string, { request_hash: string; answer: Promise<string> }>;
  /** What this node has stored for each owner since it was last trimmed. */
  untrimmed: Map<string, { rows: number; bytes: number }>;
}

/** One for each running program: its settings object is what a copy of `deps` still shares. */
const states = new WeakMap<Settings, State>();

function stateOf(settings: Settings): State {
  const known = states.get(settings);
  if (known) return known;
  const fresh: State = { inFlight: new Map(), untrimmed: new Map() };
  states.set(settings, fresh);
  return fresh;
}
