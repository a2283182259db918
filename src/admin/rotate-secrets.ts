/** Seals every stored secret again with the key that is current now. */

import { changeConfig } from "../db/config-revision.ts";
import { recordChange } from "../db/record-change.ts";
import { rewriteSealed } from "../db/sealed-columns.ts";
import type { Deps } from "../deps.ts";
import { seal, sealedWith, unseal } from "../lib/crypto/seal.ts";
import type { Actor } from "../route.ts";

export interface RotationReport {
  /** Id of the key that seals them now. */
  key: string;
  resealed: number;
  /** Secrets that no key at hand opens; they are left as they are. */
  unreadable: number;
}

/**
 * Changes of the configuration queue up behind each other, and each takes its key after its turn has
 * come. So whatever was sealed with an older key is in the database before this begins, and whatever
 * follows is sealed with the new one.
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
