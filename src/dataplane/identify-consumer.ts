/** Who is asking? The slug, the key, the gateway slug and then the method, all from memory (spec 5). */
import { AppError } from "../contract/errors.ts";
import { Slug } from "../contract/shapes.ts";
import type { Deps } from "../deps.ts";
import { secretHash } from "../lib/secret-hash.ts";
import type { ConsumerView, KeyView } from "../snapshot/snapshot.ts";
import { openRun } from "./run.ts";
import type { Asked, Known } from "./stages.ts";

export function identifyConsumer(deps: Deps, asked: Asked): Known {
  const { request, endpoint } = asked;
  const consumer = deps.snapshot().consumersBySlug.get(asked.slug);
  // An inactive consumer cannot be told from one that never was.
  if (!consumer?.active) throw new AppError("not_found", "No consumer has this slug.");

  const now = deps.now();
  const key = findKey(deps, request.headers, consumer, now);
  checkGateway(deps, request.headers, consumer);
  if (!endpoint.methods.includes(request.method)) {
    const text = `This path takes ${endpoint.methods.join(" and ")}.`;
    throw new AppError("invalid_request", text, { details: { param: "method" } });
  }
  deps.used("consumer_keys", key.id);
  return { ...asked, consumer, key, run: openRun(deps, now) };
}

function findKey(deps: Deps, headers: Headers, consumer: ConsumerView, now: Date): KeyView {
  const secret = presentedKey(headers);
  if (!secret) {
    throw new AppError("unauthorized", "Send a consumer key in the header X-AG-API-Key.");
  }
  const key = deps.snapshot().keysByHash.get(secretHash(secret));
  // A key of another gateway is as unknown here as a random one.
  const known = key && key.consumer.gateway.id === consumer.gateway.id;
  if (!known || key.expires_at <= now.getTime()) {
    throw new AppError("unauthorized", "This key is unknown, expired or revoked.");
  }
  if (key.consumer.id !== consumer.id) {
    throw new AppError("forbidden", "This key belongs to another consumer.");
  }
  return key;
}

/** The first header that is there decides. The last two let unmodified client libraries in. */
function presentedKey(headers: Headers): string | undefined {
  const own = headers.get("x-ag-api-key") ?? headers.get("x-api-key");
  if (own !== null) return own;
  const authorization = headers.get("authorization") ?? "";
  return BEARER.exec(authorization)?.[1];
}

const BEARER = /^Bearer +(ag_\S+)$/i;

function checkGateway({ settings }: Deps, headers: Headers, { gateway }: ConsumerView): void {
  const sent = headers.get("x-ag-gateway-slug")?.trim().toLowerCase();
  if (!sent) {
    if (!settings.PRIVATE_DATA_PLANE) return;
    throw new AppError("invalid_request", "Send the gateway's slug in X-AG-Gateway-Slug.");
  }
  if (sent === gateway.slug) return;
  if (!Slug.safeParse(sent).success) {
    throw new AppError("invalid_request", "X-AG-Gateway-Slug is not a slug.");
  }
  throw new AppError("not_found", "The gateway in X-AG-Gateway-Slug has no such consumer.");
}
