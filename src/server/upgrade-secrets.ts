/** Seals secrets of releases before version 2 again, each in the context of its column and row. */
import { changeConfig } from "../db/config-revision.ts";
import type { Db } from "../db/db.ts";
import { rewriteSealed } from "../db/sealed-columns.ts";
import { installationFact } from "../db/tables/installation.ts";
import { isSealedV1, type Keyring, seal, unsealV1 } from "../lib/crypto/seal.ts";

/**
 * Upgrades all secrets in one transaction: an interrupted upgrade starts over. The key check is one of them, so
 * its version says whether the upgrade is done. A secret that no key opens stays as it is.
 */
export async function upgradeSecrets(db: Db, keyring: Keyring): Promise<void> {
  await changeConfig(db, async (tx) => {
    // Another node may have done it while this one waited for the lock.
    if (!isSealedV1((await installationFact(tx, "key_check")) ?? "")) return;
    await rewriteSealed(tx, (sealed, context) => {
      const plain = unsealV1(keyring, sealed);
      return plain === undefined ? sealed : seal(keyring, context, plain);
    });
  });
}
