/** Evaluates a request with an Idempotency-Key once: a repeat gets the same verdict and records no second event. */
import type { Deps } from "../deps.ts";
import { hashSecret } from "../lib/crypto/secrets.ts";
import type { DirectCall } from "../route.ts";
import { readIdempotencyKey, runOnce } from "../run-once.ts";
import type { Caller } from "./identify-caller.ts";
import { tolerateOutage } from "./tolerate-outage.ts";

export function evaluateOnce(
  deps: Deps,
  { request, endpoint }: DirectCall,
  { caller, body }: { caller: Caller; body: Uint8Array },
  work: () => Promise<string>,
): Promise<string> {
  const key = readIdempotencyKey(request.headers, "invalid_request");
  if (key === undefined) return work();
  const owner = caller.kind === "administrator" ? caller.token_id : caller.collector.id;
  const once = {
    id: hashSecret(JSON.stringify([caller.kind, owner, endpoint.path, key])),
    request_hash: Bun.SHA256.hash(body, "hex"),
    owner,
    error: "invalid_request",
  } as const;
  return runOnce(deps, once, work, (result, otherwise) => tolerateOutage(deps, result, otherwise));
}
