/** An evaluation with an Idempotency-Key happens once: a client that tries again gets the same verdict, and no second event. */
import { AppError } from "../contract/errors.ts";
import { idempotentReplyTable, keepReply } from "../db/idempotent-replies.ts";
import type { Deps } from "../deps.ts";
import { seal, unseal } from "../lib/seal.ts";
import { secretHash } from "../lib/secret-hash.ts";
import type { DirectCall } from "../route.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "./identify-collector.ts";
import { ifReachable } from "./if-reachable.ts";

export async function onlyOnce(
  deps: Deps,
  { request, endpoint }: DirectCall,
  { caller, body }: { caller: Caller; body: string },
  work: () => Promise<string>,
): Promise<string> {
  const key = request.headers.get("idempotency-key");
  if (key === null) return await work();
  if (key.length < 1 || key.length > 255) {
    throw new AppError("invalid_request", "Idempotency-Key: must have 1 to 255 characters");
  }
  const who = caller.kind === "administrator" ? "" : caller.collector.id;
  const id = secretHash(JSON.stringify([caller.kind, who, endpoint.path, key]));
  const running = inFlight(deps.settings);
  // Tried again before the first answer was there: both get that one.
  const same = running.get(id);
  if (same) return await same;
  const answer = answerOnce(deps, { id, request_hash: secretHash(body) }, work);
  running.set(id, answer);
  try {
    return await answer;
  } finally {
    running.delete(id);
  }
}

async function answerOnce(
  deps: Deps,
  once: { id: string; request_hash: string },
  work: () => Promise<string>,
): Promise<string> {
  const looked = idempotentReplyTable.find(deps.db, { id: once.id });
  const earlier = await ifReachable(deps, looked, undefined);
  const known = earlier && unseal(deps.keyring(), earlier.reply);
  if (earlier && earlier.request_hash !== once.request_hash) {
    const text = "Idempotency-Key: was used before with another body; choose a new key";
    throw new AppError("invalid_request", text);
  }
  if (known !== undefined) return known;
  const text = await work();
  const created_at = deps.now().toISOString();
  const row = { ...once, reply: seal(deps.keyring(), text), created_at };
  await ifReachable(deps, keepReply(deps.db, row), undefined);
  return text;
}

const running = new WeakMap<Settings, Map<string, Promise<string>>>();

function inFlight(settings: Settings): Map<string, Promise<string>> {
  const known = running.get(settings);
  if (known) return known;
  const fresh = new Map<string, Promise<string>>();
  running.set(settings, fresh);
  return fresh;
}
