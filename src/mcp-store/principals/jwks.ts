/** The public keys of outside issuers: fetched when needed, kept, and fetched again when they rotate. */
import { z } from "zod";
import { decode } from "../../contract/decode.ts";
import { AppError } from "../../contract/errors.ts";
import type { Issuer } from "../../contract/store-principals.ts";
import type { Deps } from "../../deps.ts";
import { fits, type Jwt, type PublicJwk } from "../../lib/crypto/jwt.ts";
import { createLruCache, type LruCache } from "../../lib/lru-cache.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { readText } from "../../net/read-body.ts";

type Place = Pick<Issuer, "jwks_url" | "allow_private">;

interface Kept {
  keys: readonly PublicJwk[];
  fetched_at: number;
  /** When a key was last looked for in vain. */
  missed_at: number;
  fetching: Promise<void> | undefined;
  /** Why there are no keys, while there are none. */
  trouble: unknown;
}

/** How long keys are used without asking again. */
const FRESH_MS = 600_000;
/** A key that is not known may be a new one, or an invention: asked for no more often than this. */
const RETRY_MS = 10_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;

/** Keys by the URL that they are fetched from. */
export type JwksCache = LruCache<Kept>;

declare module "../../deps.ts" {
  interface Deps {
    jwks: JwksCache;
  }
}

const MAX_URLS = 1000;

export const createJwksCache = (): JwksCache => createLruCache(MAX_URLS);

/** The keys that may have signed this token; empty when the issuer has none of that kind. */
export async function keysFor(deps: Deps, place: Place, jwt: Jwt): Promise<PublicJwk[]> {
  const kept = keptFor(deps, place);
  const found = () => kept.keys.filter((key) => fits(key, jwt));
  const now = elapsedMs();
  const old = now - kept.fetched_at > FRESH_MS;
  const missing = found().length === 0 && now - kept.missed_at > RETRY_MS;
  if (missing && !old) kept.missed_at = now;
  if (missing || old) kept.fetching ??= refresh(deps, place, kept);
  // Keys that are only old are used while newer ones come.
  if (found().length === 0) await kept.fetching;
  if (kept.keys.length === 0 && kept.trouble) throw kept.trouble;
  return found();
}

function keptFor({ jwks }: Deps, { jwks_url, allow_private }: Place): Kept {
  // What may be dialed for one issuer must not be dialed for another one.
  const key = `${allow_private} ${jwks_url}`;
  const known = jwks.get(key);
  if (known) return known;
  const fresh: Kept = {
    keys: [],
    fetched_at: -Infinity,
    missed_at: -Infinity,
    fetching: undefined,
    trouble: undefined,
  };
  jwks.set(key, fresh);
  return fresh;
}

const Jwks = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

/** While the issuer is away, the keys that it had go on. */
async function refresh(deps: Deps, place: Place, kept: Kept): Promise<void> {
  try {
    kept.keys = await fetchKeys(deps, place);
    kept.trouble = undefined;
  } catch (thrown) {
    kept.trouble = thrown;
    deps.log("jwks_not_fetched", { level: "warn", url: place.jwks_url, error: thrown });
  }
  kept.fetched_at = elapsedMs();
  kept.fetching = undefined;
}

async function fetchKeys(deps: Deps, place: Place): Promise<readonly PublicJwk[]> {
  const reply = await deps.send({
    url: place.jwks_url,
    method: "GET",
    headers: { accept: "application/json" },
    allow_private: place.allow_private,
    // For the whole answer: everyone who signs in there waits for it.
    signal: AbortSignal.timeout(TIMEOUT_MS),
    timeouts: { headers_ms: TIMEOUT_MS, idle_ms: TIMEOUT_MS },
  });
  const text = await readText(reply, MAX_BYTES);
  if (reply.status !== 200) {
    throw new AppError("upstream_failed", `The issuer's keys answered ${reply.status}.`);
  }
  return decode(Jwks, parsed(text), "upstream_failed").keys;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError("upstream_failed", "The issuer's keys are not JSON.");
  }
}
