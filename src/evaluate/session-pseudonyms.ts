/** Creates, stores and restores the pseudonyms of a session: reversible placeholders for masked texts. */

import { sealContextOf } from "../db/sealed-columns.ts";
import type { PseudonymRow } from "../db/tables/pseudonyms.ts";
import { derivedKey, type Keyring, seal, unseal } from "../lib/crypto/seal.ts";
import type { DetectorServices } from "../policy/detector.ts";
import type { CreatePseudonym } from "../policy/masking/apply-masks.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

export interface SessionPseudonyms {
  pseudonymFor: CreatePseudonym;
  restore: DetectorServices["restore"];
  /** Stores the pseudonyms that were created, so that any node can restore them. */
  save: () => Promise<void>;
}

/** Long enough for a conversation that pauses overnight. */
const PSEUDONYM_LIFETIME_MS = 86_400_000;
/** Rows per transaction: a long list of addresses must not block other writers. */
const BATCH_ROWS = 500;

export function createSessionPseudonyms(
  host: EvaluationHost,
  keyring: () => Keyring,
  { collector_id, scopes }: { collector_id: string; scopes: readonly string[] },
): SessionPseudonyms {
  const [scope = ""] = scopes;
  const hash = (...parts: string[]) =>
    new Bun.CryptoHasher("sha256", derivedKey(keyring(), "pseudonyms")).update(
      JSON.stringify(parts),
    );
  const hashScope = (of: string) => hash("session", collector_id, of).digest("hex");
  const created = new Map<string, string>();
  return {
    pseudonymFor(label, original) {
      // Deterministic: every node creates the same pseudonym for the same text, without a lookup.
      const digest = hash("name", collector_id, scope, label, original).digest();
      const pseudonym = `<${label}_${encodeLetters(digest)}>`;
      created.set(pseudonym, original);
      return pseudonym;
    },
    async restore(pseudonyms) {
      const found = new Map<string, string>();
      for (const each of scopes) {
        const missing = pseudonyms.filter((pseudonym) => !found.has(pseudonym));
        if (missing.length === 0) break;
        const rows = await host.findPseudonyms(hashScope(each), missing);
        for (const { id, pseudonym, original } of rows) {
          const plain = unseal(keyring(), sealContextOf("pseudonyms.original", id), original);
          if (plain !== undefined) found.set(pseudonym, plain);
        }
      }
      return found;
    },
    async save() {
      if (created.size === 0) return;
      const expires_at = new Date(host.now().getTime() + PSEUDONYM_LIFETIME_MS).toISOString();
      const session_hash = hashScope(scope);
      const rows = [...created].map(([pseudonym, original]): PseudonymRow => {
        const id = host.newId();
        const sealed = seal(keyring(), sealContextOf("pseudonyms.original", id), original);
        return { id, collector_id, session_hash, pseudonym, original: sealed, expires_at };
      });
      for (let at = 0; at < rows.length; at += BATCH_ROWS) {
        await host.savePseudonyms(rows.slice(at, at + BATCH_ROWS));
      }
    },
  };
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

const encodeLetters = (digest: Uint8Array): string =>
  [...digest.subarray(0, 8)].map((byte) => ALPHABET[byte & 31]).join("");
