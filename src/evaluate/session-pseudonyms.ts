/** Reversible masks: the names that stand for texts in a session, and the texts behind them. */
import type { PseudonymRow } from "../db/pseudonyms.ts";
import { sealContextOf } from "../db/sealed-columns.ts";
import { derivedKey, type Keyring, seal, unseal } from "../lib/crypto/seal.ts";
import type { DetectorServices } from "../policy/detector.ts";
import type { CreatePseudonym } from "../policy/masking/apply-masks.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

export interface SessionPseudonyms {
  pseudonymFor: CreatePseudonym;
  restore: DetectorServices["restore"];
  /** Writes down what was named, so that any node can restore it. */
  save: () => Promise<void>;
}

/** A conversation that pauses overnight can still be restored. */
const LIFE_MS = 86_400_000;
/** A text full of addresses has a name for each: nobody else shall wait until all of them are written. */
const KEPT_AT_ONCE = 500;

export function createSessionPseudonyms(
  host: EvaluationHost,
  keyring: () => Keyring,
  { collector_id, session_id }: { collector_id: string; session_id: string },
): SessionPseudonyms {
  const keyed = (...parts: string[]) =>
    new Bun.CryptoHasher("sha256", derivedKey(keyring(), "pseudonyms")).update(
      JSON.stringify(parts),
    );
  const session_hash = () => keyed("session", collector_id, session_id).digest("hex");
  const named = new Map<string, string>();
  return {
    pseudonymFor(label, original) {
      // The same text gets the same name, on every node and without looking anything up.
      const digest = keyed("name", collector_id, session_id, label, original).digest();
      const pseudonym = `<${label}_${letters(digest)}>`;
      named.set(pseudonym, original);
      return pseudonym;
    },
    async restore(pseudonyms) {
      const rows = await host.findPseudonyms(session_hash(), pseudonyms);
      return new Map(
        rows.flatMap(({ id, pseudonym, original }) => {
          const plain = unseal(keyring(), sealContextOf("pseudonyms.original", id), original);
          return plain === undefined ? [] : [[pseudonym, plain]];
        }),
      );
    },
    async save() {
      if (named.size === 0) return;
      const expires_at = new Date(host.now().getTime() + LIFE_MS).toISOString();
      const hash = session_hash();
      const rows = [...named].map(([pseudonym, original]): PseudonymRow => {
        const id = host.newId();
        const sealed = seal(keyring(), sealContextOf("pseudonyms.original", id), original);
        return { id, collector_id, session_hash: hash, pseudonym, original: sealed, expires_at };
      });
      for (let at = 0; at < rows.length; at += KEPT_AT_ONCE) {
        await host.savePseudonyms(rows.slice(at, at + KEPT_AT_ONCE));
      }
    },
  };
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

const letters = (digest: Uint8Array): string =>
  [...digest.subarray(0, 8)].map((byte) => ALPHABET[byte & 31]).join("");
