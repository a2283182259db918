/** Finds the consumer of a slug and checks its key, in memory (spec 5). */
import { AppError } from "../contract/errors.ts";
import { PLAYGROUND_HEADER } from "../contract/gateway/playground.ts";
import { Slug } from "../contract/shapes.ts";
import type { Keyring } from "../lib/crypto/seal.ts";
import { hashSecret } from "../lib/crypto/secrets.ts";
import { openPlaygroundToken } from "./playground-token.ts";
import type { ConsumerView, KeyView, Snapshot } from "./snapshot.ts";

export interface ConsumerCredentials {
  slug: string;
  headers: Headers;
  at: Date;
  /** Requires the slug of the gateway (PRIVATE_DATA_PLANE). */
  needs_gateway: boolean;
  /** Opens playground tokens. */
  keyring: () => Keyring;
}

export function findConsumer(
  snapshot: Snapshot,
  credentials: ConsumerCredentials,
): { consumer: ConsumerView; key: KeyView } {
  const consumer = snapshot.consumersBySlug.get(credentials.slug);
  // The same error for inactive and unknown consumers.
  if (!consumer?.active)
    throw new AppError("not_found", "Unknown consumer. Check the first part of the path.");
  const key = requireKey(snapshot, credentials, consumer);
  checkGateway(credentials, consumer);
  return { consumer, key };
}

/** Finds a consumer by the ids of a path of the admin API. */
export function requireConsumer(
  { consumersBySlug }: Snapshot,
  { gateway_id, consumer_id }: { gateway_id: string; consumer_id: string },
): ConsumerView {
  for (const consumer of consumersBySlug.values()) {
    if (consumer.id === consumer_id && consumer.gateway.id === gateway_id) return consumer;
  }
  throw new AppError("not_found", "Unknown consumer id in this gateway.");
}

function requireKey(
  snapshot: Snapshot,
  { headers, at, keyring }: ConsumerCredentials,
  consumer: ConsumerView,
): KeyView {
  const secret = readKey(headers);
  const token = secret === undefined ? headers.get(PLAYGROUND_HEADER) : null;
  if (token !== null) {
    const key = openPlaygroundToken({ keyring: keyring(), snapshot, at }, token, consumer);
    if (key) return key;
    throw new AppError(
      "unauthorized",
      "The playground token has ended, or is of another consumer.",
    );
  }
  if (!secret)
    throw new AppError("unauthorized", headers.has("authorization") ? NO_KEY : NO_CREDENTIAL);
  const key = findValidKey(snapshot, secret, at);
  // A key of another gateway counts as unknown.
  if (key?.consumer.gateway.id !== consumer.gateway.id) {
    throw new AppError("unauthorized", "This key is unknown, expired or revoked.");
  }
  if (key.consumer.id !== consumer.id) {
    throw new AppError("forbidden", "This key belongs to another consumer.");
  }
  return key;
}

function findValidKey({ keysByHash }: Snapshot, secret: string, at: Date): KeyView | undefined {
  const key = keysByHash.get(hashSecret(secret));
  return key && key.expires_at > at.getTime() ? key : undefined;
}

/** Returns the key of a request if it is valid, at any gateway. */
export function findKey(snapshot: Snapshot, headers: Headers, at: Date): KeyView | undefined {
  const secret = readKey(headers);
  return secret ? findValidKey(snapshot, secret, at) : undefined;
}

/** Returns the key of a request if it is valid at the gateway. */
export function findKeyAtGateway(
  snapshot: Snapshot,
  headers: Headers,
  gateway: { id: string },
  at: Date,
): KeyView | undefined {
  const key = findKey(snapshot, headers, at);
  return key?.consumer.gateway.id === gateway.id ? key : undefined;
}

const NO_CREDENTIAL = "Send a consumer key in the header X-AG-API-Key.";
const NO_KEY = "The header Authorization contains no consumer key. Consumer keys begin with ag_.";

/** Reads the first of four headers. The last three support unmodified client libraries. */
function readKey(headers: Headers): string | undefined {
  const own = headers.get("x-ag-api-key") ?? headers.get("x-api-key");
  if (own !== null) return own;
  const authorization = headers.get("authorization");
  if (authorization === null) return headers.get("x-goog-api-key") ?? undefined;
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
    throw new AppError("invalid_request", "Send the slug of the gateway in X-AG-Gateway-Slug.");
  }
  if (sent === gateway.slug) return;
  if (!Slug.safeParse(sent).success) {
    throw new AppError("invalid_request", "X-AG-Gateway-Slug: is not a valid slug.");
  }
  throw new AppError("not_found", "X-AG-Gateway-Slug: this gateway does not have the consumer.");
}
