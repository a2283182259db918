/** Handles a POST with an Idempotency-Key once, inside the transaction of its change. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { hashSecret } from "../../lib/crypto/secrets.ts";
import { runOnce } from "../../run-once.ts";

/** Returns a refusal instead of throwing it, as `work` does; it is not stored, so the request may be repeated later. */
export async function handleOnce(
  deps: Deps,
  key: string | undefined,
  call: { actor_id: string | null; path: string; body: unknown },
  work: () => Promise<unknown>,
): Promise<unknown> {
  if (key === undefined) return await work();
  const once = {
    id: hashSecret(JSON.stringify([call.actor_id, call.path, key])),
    request_hash: hashSecret(JSON.stringify(call.body ?? null)),
    owner: "",
    error: "validation_failed",
  } as const;
  let refusal: AppError | undefined;
  try {
    const text = await runOnce(deps, once, async () => {
      const reply = await work();
      if (reply instanceof AppError) {
        refusal = reply;
        throw reply;
      }
      return JSON.stringify(reply ?? null);
    });
    return JSON.parse(text);
  } catch (thrown) {
    if (thrown === refusal) return refusal;
    throw thrown;
  }
}
