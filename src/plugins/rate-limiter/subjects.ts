/** Whom does a request count for? One subject for each type of limit (spec 8.2). */
import type { LimitType } from "../../contract/limits.ts";
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
  per_user: ({ user }) => (user.length > LONGEST_SUBJECT ? `sha256:${hashSecret(user)}` : user),
  // No header value can hold a line feed, so no two requests are joined to the same text.
  per_fingerprint({ key_id, client, user, headers }, hmac) {
    if (key_id === undefined) return "";
    const agent = headers.get("user-agent") ?? "";
    const session = headers.get("x-session-id") ?? "";
    return hmac(`${key_id}\n${toAddressSubject(client)}\n${agent}\n${user}\n${session}`);
  },
};

/** A subject is kept for as long as its window: a client does not choose how much that takes. */
const LONGEST_SUBJECT = 128;

/** The same clients come again and again: finding one costs a third of hashing it. */
const MAX_KNOWN = 10_000;
const LONGEST_KNOWN = 512;

/**
 * Returns HMAC-SHA-256 under a key of its own, cut to 128 bits. `derivedKey` does not change with a rotation,
 * so a client keeps its fingerprint.
 */
export function createFingerprint(keyring: Keyring): Fingerprint {
  const key = derivedKey(keyring, "rate limit fingerprint");
  const keyed = new Bun.CryptoHasher("sha256", key);
  const known = new Map<string, string>();
  return (text) => {
    const seen = known.get(text);
    if (seen !== undefined) return seen;
    const made = keyed.copy().update(text).digest("base64url").slice(0, 22);
    if (known.size >= MAX_KNOWN) known.clear();
    if (text.length <= LONGEST_KNOWN) known.set(text, made);
    return made;
  };
}
