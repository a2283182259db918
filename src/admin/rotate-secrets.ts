/** Encrypts every stored secret again with the current key. */

import { changeConfig } from "../db/config-revision.ts";
import { recordChange } from "../db/record-change.ts";
import { rewriteSealed } from "../db/sealed-columns.ts";
import type { Deps } from "../deps.ts";
import { seal, sealedWith, unseal } from "../lib/crypto/seal.ts";
import type { Actor } from "../route.ts";

export interface RotationReport {
  /** Id of the current key. */
  key: string;
  resealed: number;
  /** Number of secrets that no available key decrypts; they do not change. */
  unreadable: number;
}

/**
 * Changes of the configuration are serialized, and each reads its key inside its transaction. Secrets
 * with an older key are therefore in the database before this begins, and later ones use the new key.
 */
export async function rotateSecrets(deps: Deps, actor: Actor): Promise<RotationReport> {
  return await changeConfig(deps.db, async (tx) => {
    const keyring = deps.keyring();
    const rotated = { key: keyring.current, resealed: 0, unreadable: 0 };
    await rewriteSealed(tx, (sealed, context) => {
      if (sealedWith(sealed) === keyring.current) return sealed;
      const plain = unseal(keyring, context, sealed);
      if (plain === undefined) {
        rotated.unreadable += 1;
        return sealed;
      }
      rotated.resealed += 1;
      return seal(keyring, context, plain);
    });
    const call = { actor, request_id: deps.newId(), trace_id: deps.newId() };
    await recordChange({ ...deps, db: tx }, call, {
      resource: "secrets",
      verb: "rotate",
      id: keyring.current,
      gateway_id: null,
      before: null,
      after: { ...rotated },
    });
    return rotated;
  });
}
