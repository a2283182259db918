/** Returns the subject that a request counts for, one for each type of limit (spec 8.2). */
import type { LimitType } from "../../contract/gateway/limits.ts";
import { derivedKey, type Keyring } from "../../lib/crypto/seal.ts";
import { hashSecret } from "../../lib/crypto/secrets.ts";
import { toAddressSubject } from "../../lib/http/ip-address.ts";
import type { PluginRequest } from "../plugin.ts";

export type Fingerprint = (text: string) => string;

export const SUBJECT_OF_TYPE: Record<
  LimitType,
  (request: PluginRequest, hmac: Fingerprint) => string
> = {
  global: () => "global",
  per_ip: ({ client }) => toAddressSubject(client),
  per_user: ({ user }) =>
    user.length > MAX_SUBJECT_CHARACTERS ? `sha256:${hashSecret(user)}` : user,
  // Header values cannot contain a line feed, so the joined text is unambiguous.
  per_fingerprint({ key_id, client, user, headers }, hmac) {
    if (key_id === undefined) return "";
    const agent = headers.get("user-agent") ?? "";
    const session = headers.get("x-session-id") ?? "";
    return hmac(`${key_id}\n${toAddressSubject(client)}\n${agent}\n${user}\n${session}`);
  },
};

/** Caps the memory that a client can take: a subject is kept for as long as its window. */
const MAX_SUBJECT_CHARACTERS = 128;

/** Caches fingerprints of recurring clients: a lookup costs a third of a hash. */
const MAX_CACHED = 10_000;
const MAX_CACHED_CHARACTERS = 512;

/**
 * Returns a function that computes HMAC-SHA-256 with a derived key, truncated to 128 bits. `derivedKey` does not
 * change with a key rotation, so a client keeps its fingerprint.
 */
export function createFingerprint(keyring: Keyring): Fingerprint {
  const key = derivedKey(keyring, "rate limit fingerprint");
  const hmac = new Bun.CryptoHasher("sha256", key);
  const cache = new Map<string, string>();
  return (text) => {
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const fingerprint = hmac.copy().update(text).digest("base64url").slice(0, 22);
    if (cache.size >= MAX_CACHED) cache.clear();
    if (text.length <= MAX_CACHED_CHARACTERS) cache.set(text, fingerprint);
    return fingerprint;
  };
}
