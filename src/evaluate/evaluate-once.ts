/** Evaluates a request with an Idempotency-Key once: a repeat gets the same verdict and records no second event. */
import type { Deps } from "../deps.ts";
import { hashSecret } from "../lib/crypto/secrets.ts";
import { readIdempotencyKey, runOnce } from "../run-once.ts";
import { ownerOf } from "./identify-caller.ts";
import type { ReceivedCall } from "./stages.ts";
import { tolerateOutage } from "./tolerate-outage.ts";

export function evaluateOnce(
  deps: Deps,
  { call: { request, endpoint }, caller, body }: ReceivedCall,
  work: () => Promise<string>,
): Promise<string> {
  const key = readIdempotencyKey(request.headers, "invalid_request");
  if (key === undefined) return work();
  const owner = ownerOf(caller);
  const once = {
    id: hashSecret(JSON.stringify([caller.kind, owner, endpoint.path, key])),
    request_hash: Bun.SHA256.hash(body.bytes, "hex"),
    owner,
    error: "invalid_request",
  } as const;
  return runOnce(deps, once, work, (result, fallback) => tolerateOutage(deps, result, fallback));
}
