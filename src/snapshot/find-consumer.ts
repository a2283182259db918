/** Which consumer does a slug name, and does the key that was sent belong to it? All from memory (spec 5). */
import { AppError } from "../contract/errors.ts";
import { Slug } from "../contract/shapes.ts";
import { hashSecret } from "../lib/crypto/secrets.ts";
import type { ConsumerView, KeyView, Snapshot } from "./snapshot.ts";

export interface ConsumerCredentials {
  slug: string;
  headers: Headers;
  at: Date;
  /** The gateway's slug must be sent too. */
  needs_gateway: boolean;
}

export function findConsumer(
  snapshot: Snapshot,
  presented: ConsumerCredentials,
): { consumer: ConsumerView; key: KeyView } {
  const consumer = snapshot.consumersBySlug.get(presented.slug);
  // An inactive consumer cannot be told from one that never was.
  if (!consumer?.active) throw new AppError("not_found", "No consumer has this slug.");
  const key = requireKey(snapshot, presented, consumer);
  checkGateway(presented, consumer);
  return { consumer, key };
}

function requireKey(
  snapshot: Snapshot,
  { headers, at }: ConsumerCredentials,
  consumer: ConsumerView,
): KeyView {
  const secret = presentedKey(headers);
  if (!secret) throw new AppError("unauthorized", headers.has("authorization") ? NO_KEY : NOTHING);
  const key = validKey(snapshot, secret, consumer.gateway, at);
  if (!key) throw new AppError("unauthorized", "This key is unknown, expired or revoked.");
  if (key.consumer.id !== consumer.id) {
    throw new AppError("forbidden", "This key belongs to another consumer.");
  }
  return key;
}

/** Returns the key when it is valid at the gateway: a key of another gateway is unknown here. */
function validKey(
  snapshot: Snapshot,
  secret: string,
  gateway: { id: string },
  at: Date,
): KeyView | undefined {
  const key = snapshot.keysByHash.get(hashSecret(secret));
  const valid = key && key.consumer.gateway.id === gateway.id && key.expires_at > at.getTime();
  return valid ? key : undefined;
}

/** Returns the valid key that a request presents to a gateway, if any. */
export function findKeyAtGateway(
  snapshot: Snapshot,
  headers: Headers,
  gateway: { id: string },
  at: Date,
): KeyView | undefined {
  const secret = presentedKey(headers);
  return secret ? validKey(snapshot, secret, gateway, at) : undefined;
}

const NOTHING = "Send a consumer key in the header X-AG-API-Key.";
const NO_KEY = "The header Authorization contains no consumer key. Consumer keys begin with ag_.";

/** The first header that is there decides. The last two let unmodified client libraries in. */
function presentedKey(headers: Headers): string | undefined {
  const own = headers.get("x-ag-api-key") ?? headers.get("x-api-key");
  if (own !== null) return own;
  const authorization = headers.get("authorization") ?? "";
  return BEARER.exec(authorization)?.[1];
}

const BEARER = /^Bearer +(ag_\S+)$/i;

function checkGateway(
  { headers, needs_gateway }: ConsumerCredentials,
  { gateway }: ConsumerView,
): void {
  const sent = headers.get("x-ag-gateway-slug")?.trim().toLowerCase();
  if (!sent) {
    if (!needs_gateway) return;
    throw new AppError("invalid_request", "Send the gateway's slug in X-AG-Gateway-Slug.");
  }
  if (sent === gateway.slug) return;
  if (!Slug.safeParse(sent).success) {
    throw new AppError("invalid_request", "X-AG-Gateway-Slug is not a slug.");
  }
  throw new AppError("not_found", "The gateway in X-AG-Gateway-Slug has no such consumer.");
}
