/** Reversible masks: the names that stand for texts in a session, and the texts behind them. */

import { findPseudonyms, keepPseudonyms, type PseudonymRow } from "../db/pseudonyms.ts";
import type { Deps } from "../deps.ts";
import { derivedKey, seal, unseal } from "../lib/seal.ts";
import type { Outside } from "../policy/detector.ts";
import type { Pseudonym } from "../policy/rewrite.ts";

export interface SessionNames {
  name: Pseudonym;
  restore: Outside["restore"];
  /** Writes down what was named, so that any node can restore it. */
  keep: () => Promise<void>;
}

/** A conversation that pauses overnight can still be restored. */
const LIFE_MS = 86_400_000;

export function sessionNames(
  deps: Deps,
  { collector_id, session_id }: { collector_id: string; session_id: string },
): SessionNames {
  const keyed = (...parts: string[]) =>
    new Bun.CryptoHasher("sha256", derivedKey(deps.keyring(), "pseudonyms")).update(
      JSON.stringify(parts),
    );
  const session_hash = () => keyed("session", collector_id, session_id).digest("hex");
  const named = new Map<string, string>();
  return {
    name(label, original) {
      // The same text gets the same name, on every node and without looking anything up.
      const digest = keyed("name", collector_id, session_id, label, original).digest();
      const pseudonym = `<${label}_${letters(digest)}>`;
      named.set(pseudonym, original);
      return pseudonym;
    },
    async restore(pseudonyms) {
      const rows = await findPseudonyms(deps.db, session_hash(), pseudonyms);
      return new Map(
        rows.flatMap(({ pseudonym, original }) => {
          const plain = unseal(deps.keyring(), original);
          return plain === undefined ? [] : [[pseudonym, plain]];
        }),
      );
    },
    async keep() {
      if (named.size === 0) return;
      const expires_at = new Date(deps.now().getTime() + LIFE_MS).toISOString();
      const hash = session_hash();
      const rows = [...named].map(([pseudonym, original]): PseudonymRow => {
        const sealed = seal(deps.keyring(), original);
        const row = { id: deps.newId(), collector_id, session_hash: hash, pseudonym };
        return { ...row, original: sealed, expires_at };
      });
      await deps.db.transaction((tx) => keepPseudonyms(tx, rows));
    },
  };
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

const letters = (digest: Uint8Array): string =>
  [...digest.subarray(0, 8)].map((byte) => ALPHABET[byte & 31]).join("");
