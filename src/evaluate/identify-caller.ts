/** Which collector an evaluation is for: by its key, or by a token beside the collector's name (spec 5). */
import { AppError } from "../contract/errors.ts";
import type { EvaluateRequest } from "../contract/evaluate.ts";
import { PERMISSIONS } from "../contract/roles.ts";
import type { Deps } from "../deps.ts";
import { hashSecret } from "../lib/crypto/secrets.ts";
import type { CollectorKeyView, CollectorView } from "../snapshot/snapshot.ts";
import { findServiceClient, SERVICE_TOKEN } from "./service-token.ts";

/** Who is calling, before the body is looked at. */
export type Caller =
  | { kind: "collector"; collector: CollectorView }
  | { kind: "client"; collector: CollectorView }
  | { kind: "administrator"; token_id: string; gateway_ids: readonly string[] | null };

/** The secret of an Authorization header; empty where there is none. */
export const readBearer = (headers: Headers): string =>
  /^Bearer\s+(\S+)\s*$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";

export function identifyCaller(deps: Deps, secret: string): Caller {
  if (secret === "") {
    throw new AppError("unauthorized", "Send a collector key: Authorization: Bearer <key>.");
  }
  if (secret.startsWith(SERVICE_TOKEN)) return serviceClient(deps, secret);
  const { collectorKeysByHash, tokensByHash } = deps.snapshot();
  const hash = hashSecret(secret);
  const key = collectorKeysByHash.get(hash);
  if (key) {
    checkActive(deps, key, "collector key");
    deps.markUsed("collector_keys", key.id);
    return { kind: "collector", collector: key.collector };
  }
  const token = tokensByHash.get(hash);
  const live = token && token.expires_at > deps.now().getTime();
  if (live && PERMISSIONS[token.role].includes("write")) {
    deps.markUsed("admin_tokens", token.id);
    return { kind: "administrator", token_id: token.id, gateway_ids: token.gateway_ids };
  }
  throw new AppError("unauthorized", "This collector key is unknown.");
}

function serviceClient(deps: Deps, token: string): Caller {
  const client = findServiceClient(deps, token);
  if (!client) throw new AppError("unauthorized", "This service token is unknown or has expired.");
  checkActive(deps, client, "service client");
  return { kind: "client", collector: client.collector };
}

/** spec 7: a key that was found but does not work any more is a 403. */
export function checkActive(deps: Deps, key: CollectorKeyView, what: string): void {
  if (key.revoked) throw new AppError("forbidden", `This ${what} was revoked.`);
  if (key.expires_at <= deps.now().getTime()) {
    throw new AppError("forbidden", `This ${what} has expired.`);
  }
}

/** Whether what is asked of a collector, and decided for it, is the caller's business. */
export const canUseCollector = (caller: Caller, { id, gateway_id }: CollectorView): boolean =>
  caller.kind === "administrator"
    ? caller.gateway_ids === null || caller.gateway_ids.includes(gateway_id ?? "")
    : caller.collector.id === id;

export function identifyCollector(
  deps: Deps,
  caller: Caller,
  { gateway_id, collector_key }: Pick<EvaluateRequest, "gateway_id" | "collector_key">,
): CollectorView {
  if (caller.kind === "collector") {
    const { collector } = caller;
    const fits =
      (gateway_id ?? collector.gateway_id) === collector.gateway_id &&
      (collector_key ?? collector.collector_key) === collector.collector_key;
    if (fits) return collector;
    const text = "gateway_id or collector_key names another collector than the key's own.";
    throw new AppError("invalid_request", text);
  }
  if ((gateway_id === undefined) === (collector_key === undefined)) {
    const text = "With a token, exactly one of gateway_id and collector_key must be sent.";
    throw new AppError("invalid_request", text);
  }
  const fits = (view: CollectorView) =>
    gateway_id === undefined
      ? view.collector_key === collector_key
      : view.gateway_id === gateway_id;
  const found = [...deps.snapshot().collectors.values()].filter(
    (view) => fits(view) && canUseCollector(caller, view),
  );
  const [collector, another] = found;
  if (collector && !another) return collector;
  const name = gateway_id === undefined ? "collector_key" : "gateway_id";
  const why = another ? "names several collectors" : "names no collector that this token may use";
  throw new AppError("invalid_request", `${name}: ${why}.`);
}
