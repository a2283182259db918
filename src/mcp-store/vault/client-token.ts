/** Requests and caches tokens for the gateway itself (OAuth client credentials). */
import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import type { ClientCredentialsAuth } from "../../contract/store/mcp-registries.ts";
import { sealContextOf } from "../../db/sealed-columns.ts";
import type { McpRegistryRow } from "../../db/tables/registries.ts";
import type { Deps } from "../../deps.ts";
import { unseal } from "../../lib/crypto/seal.ts";
import { createLruCache } from "../../lib/lru-cache.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { isHeaderValue } from "../../net/http/write-header-block.ts";
import { secretNotDecrypted } from "./oauth-client.ts";
import { createOauthFetch } from "./oauth-fetch.ts";

type Auth = z.infer<typeof ClientCredentialsAuth>;

/** `rejected` is a token that the upstream rejected. */
export type GetClientToken = (
  instance: McpRegistryRow,
  auth: Auth,
  rejected?: string,
) => Promise<string>;

interface CachedToken {
  token: string;
  until: number;
}

const MAX_CACHED = 1000;
const RENEW_AHEAD_MS = 60_000;
/** Used where the response has no expires_in. */
const DEFAULT_LIFETIME_S = 300;

export function createClientTokens(deps: Deps): GetClientToken {
  const cache = createLruCache<Promise<CachedToken>>(MAX_CACHED);
  return async (instance, auth, rejected) => {
    const key = `${instance.id} ${instance.version}`;
    const known = cache.get(key);
    const cached = await known?.catch(() => undefined);
    if (cached && cached.token !== rejected && cached.until > elapsedMs()) return cached.token;
    // Another call may have requested a token while this one waited.
    const newer = cache.get(key);
    if (newer && newer !== known) return (await newer).token;
    const requested = requestToken(deps, instance, auth);
    cache.set(key, requested);
    return (await requested).token;
  };
}

const TokenResponse = z.object({
  access_token: z.string().min(1).refine(isHeaderValue),
  expires_in: z.number().optional(),
});

async function requestToken(
  deps: Deps,
  { id, allow_private }: McpRegistryRow,
  auth: Auth,
): Promise<CachedToken> {
  const secret = unseal(deps.keyring(), sealContextOf("registries.auth", id), auth.client_secret);
  if (secret === undefined) throw secretNotDecrypted();
  const { client_id, scopes, resource, token_url } = auth;
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scopes.length > 0) form.set("scope", scopes.join(" "));
  if (resource !== null) form.set("resource", resource);
  const reply = await createOauthFetch(deps, allow_private)(token_url, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      // RFC 6749 section 2.3.1: both are form-encoded first.
      authorization: `Basic ${btoa([client_id, secret].map(encodeURIComponent).join(":"))}`,
    },
    body: form,
  });
  const parsed = TokenResponse.safeParse(await reply.json().catch(() => undefined));
  if (!reply.ok || !parsed.success) {
    throw new AppError(
      "upstream_failed",
      `The token endpoint returned ${reply.status} without a usable token.`,
    );
  }
  const { access_token, expires_in = DEFAULT_LIFETIME_S } = parsed.data;
  return { token: access_token, until: elapsedMs() + expires_in * 1000 - RENEW_AHEAD_MS };
}
