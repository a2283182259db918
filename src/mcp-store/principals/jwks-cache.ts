/** Caches the public keys (JWKS) of issuers, and fetches them again when they are old or a token names a new key. */
import { createLocalJWKSet, errors, type JWSHeaderParameters } from "jose";
import { z } from "zod";
import { decode } from "../../contract/decode.ts";
import { AppError } from "../../contract/errors.ts";
import type { Issuer } from "../../contract/store/principals.ts";
import type { Deps } from "../../deps.ts";
import { createLruCache, type LruCache } from "../../lib/lru-cache.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { readReplyText } from "../../net/read-reply-bytes.ts";
import { toUpstreamError } from "../../net/to-upstream-error.ts";

type KeySource = Pick<Issuer, "issuer" | "jwks_url" | "allow_private">;
type KeySet = ReturnType<typeof createLocalJWKSet>;

interface JwksCacheEntry {
  /** Undefined until the first successful fetch. */
  keys: KeySet | undefined;
  fetched_at: number;
  /** Time of the last fetch for a key that was not in the cache. */
  missed_at: number;
  fetching: Promise<void> | undefined;
  /** Time at which the last slow fetch ended. */
  slow_at: number;
  /** Error of the last fetch; undefined after a successful one. */
  error: unknown;
}

const MAX_AGE_MS = 600_000;
/** A token can name any key, so fetches for unknown keys are limited to one per cooldown. */
const COOLDOWN_MS = 10_000;
const TIMEOUT_MS = 5_000;
/** After a slower fetch, no request waits for the next ones for ten minutes: tokens may be of another registration of the issuer. */
const SLOW_MS = 2_000;
const MAX_BYTES = 1024 * 1024;
const MAX_KEYS = 100;
const MAX_URLS = 1000;

/** Entries by private access and URL. */
export type JwksCache = LruCache<JwksCacheEntry>;

declare module "../../deps.ts" {
  interface Deps {
    jwks: JwksCache;
  }
}

export const createJwksCache = (): JwksCache => createLruCache(MAX_URLS);

/** Returns the keys that match the header of a token; empty when the issuer has no such key. */
export async function findSigningKeys(
  deps: Deps,
  source: KeySource,
  header: JWSHeaderParameters,
): Promise<CryptoKey[]> {
  const entry = getEntry(deps, source);
  const found = await matchKeys(entry.keys, header);
  const now = elapsedMs();
  const isOld = now - entry.fetched_at > MAX_AGE_MS;
  const isMissing = found.length === 0 && now - entry.missed_at > COOLDOWN_MS;
  if (isMissing && !isOld) entry.missed_at = now;
  if (isMissing || isOld) entry.fetching ??= refresh(deps, source, entry);
  // Stale-while-revalidate: old keys are used until newer ones arrive.
  if (found.length > 0) return found;
  if (now - entry.slow_at > MAX_AGE_MS) await entry.fetching;
  if (!entry.keys && entry.error) {
    const text = `The keys of the issuer ${source.issuer} could not be fetched. Ask an administrator to check its jwks_url.`;
    throw new AppError(toUpstreamError(entry.error).code, text, { cause: entry.error });
  }
  return await matchKeys(entry.keys, header);
}

/** The key includes `allow_private`: keys from a private address must not serve an issuer without that permission. */
function getEntry({ jwks }: Deps, { jwks_url, allow_private }: KeySource): JwksCacheEntry {
  const key = `${allow_private} ${jwks_url}`;
  const cached = jwks.get(key);
  if (cached) return cached;
  const entry: JwksCacheEntry = {
    keys: undefined,
    fetched_at: -Infinity,
    missed_at: -Infinity,
    fetching: undefined,
    slow_at: -Infinity,
    error: undefined,
  };
  jwks.set(key, entry);
  return entry;
}

/** Several keys match a token without a key id. */
async function matchKeys(
  keys: KeySet | undefined,
  header: JWSHeaderParameters,
): Promise<CryptoKey[]> {
  if (!keys) return [];
  try {
    return [await keys(header)];
  } catch (thrown) {
    if (thrown instanceof errors.JWKSMultipleMatchingKeys) return await Array.fromAsync(thrown);
    if (thrown instanceof errors.JWKSNoMatchingKey) return [];
    throw thrown;
  }
}

/** After a failed fetch the cached keys stay in use. */
async function refresh(deps: Deps, source: KeySource, entry: JwksCacheEntry): Promise<void> {
  const start = elapsedMs();
  try {
    entry.keys = await fetchKeys(deps, source);
    entry.error = undefined;
  } catch (thrown) {
    entry.error = thrown;
    deps.log("jwks_not_fetched", { level: "warn", url: source.jwks_url, error: thrown });
  }
  entry.fetched_at = elapsedMs();
  if (entry.fetched_at - start > SLOW_MS) entry.slow_at = entry.fetched_at;
  entry.fetching = undefined;
}

/** `alg` of an Ed25519 key is ignored: "EdDSA" and "Ed25519" (RFC 9864) are the same algorithm, and issuers mix them. */
const Jwk = z.looseObject({ kty: z.string() }).transform((jwk) => {
  const { alg: _, ...rest } = jwk;
  return jwk.kty === "OKP" ? rest : jwk;
});

const Jwks = z.object({ keys: z.array(Jwk).max(MAX_KEYS) });

async function fetchKeys(deps: Deps, { jwks_url, allow_private }: KeySource): Promise<KeySet> {
  const reply = await deps.send({
    url: jwks_url,
    method: "GET",
    headers: { accept: "application/json" },
    allow_private,
    // Covers the whole response, because every sign-in of this issuer waits for it.
    signal: AbortSignal.timeout(TIMEOUT_MS),
    timeouts: { headers_ms: TIMEOUT_MS, idle_ms: TIMEOUT_MS },
  });
  const text = await readReplyText(reply, MAX_BYTES);
  if (reply.status !== 200) {
    throw new AppError("upstream_failed", `The issuer's jwks_url returned ${reply.status}.`);
  }
  return createLocalJWKSet(decode(Jwks, parseJson(text), "upstream_failed"));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError("upstream_failed", "The issuer's jwks_url did not return JSON.");
  }
}
