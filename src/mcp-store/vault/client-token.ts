/** The token by which the gateway signs in as itself (client credentials), kept until it is about to end. */
import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import type { ClientCredentialsAuth } from "../../contract/mcp-registries.ts";
import type { McpRegistryRow } from "../../db/registries.ts";
import { sealContextOf } from "../../db/sealed-columns.ts";
import type { Deps } from "../../deps.ts";
import { unseal } from "../../lib/crypto/seal.ts";
import { createLruCache } from "../../lib/lru-cache.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { createOauthFetch } from "./oauth-fetch.ts";

type Auth = z.infer<typeof ClientCredentialsAuth>;

/** `refused` is one that the upstream did not take. */
export type GetClientToken = (
  instance: McpRegistryRow,
  auth: Auth,
  refused?: string,
) => Promise<string>;

interface CachedToken {
  token: string;
  until: number;
}

const MAX_CACHED = 1000;
const RENEW_AHEAD_MS = 60_000;
/** Where the server does not say how long a token lasts. */
const DEFAULT_LIFETIME_S = 300;

export function createClientTokens(deps: Deps): GetClientToken {
  const kept = createLruCache<Promise<CachedToken>>(MAX_CACHED);
  return async (instance, auth, refused) => {
    const key = `${instance.id} ${instance.version}`;
    const known = kept.get(key);
    const held = await known?.catch(() => undefined);
    if (held && held.token !== refused && held.until > elapsedMs()) return held.token;
    // Somebody who waited for the same one may have asked already.
    const newer = kept.get(key);
    if (newer && newer !== known) return (await newer).token;
    const asked = requestToken(deps, instance, auth);
    kept.set(key, asked);
    return (await asked).token;
  };
}

const TokenResponse = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().optional(),
});

async function requestToken(
  deps: Deps,
  { id, allow_private }: McpRegistryRow,
  auth: Auth,
): Promise<CachedToken> {
  const secret = unseal(deps.keyring(), sealContextOf("registries.auth", id), auth.client_secret);
  if (secret === undefined) {
    throw new AppError("upstream_failed", "The client secret cannot be decrypted: set it again.");
  }
  const { client_id, scopes, resource, token_url } = auth;
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scopes.length > 0) form.set("scope", scopes.join(" "));
  if (resource !== null) form.set("resource", resource);
  const reply = await createOauthFetch(deps, allow_private)(token_url, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      // RFC 6749 2.3.1: both are form-encoded first.
      authorization: `Basic ${btoa([client_id, secret].map(encodeURIComponent).join(":"))}`,
    },
    body: form,
  });
  const answer = TokenResponse.safeParse(await reply.json().catch(() => undefined));
  if (!reply.ok || !answer.success) {
    throw new AppError("upstream_failed", `The token endpoint answered ${reply.status}.`);
  }
  const { access_token, expires_in = DEFAULT_LIFETIME_S } = answer.data;
  return { token: access_token, until: elapsedMs() + expires_in * 1000 - RENEW_AHEAD_MS };
}
