/** Seals secrets in requests and masks them in responses. A masked value keeps the stored secret. */
import { AppError } from "../contract/errors.ts";
import { REGISTRY_SECRETS } from "../contract/gateway/registries.ts";
import { sealContextOf } from "../db/sealed-columns.ts";
import { registrySecret } from "../db/tables/registries.ts";
import { type Keyring, type SealContext, seal, unseal } from "../lib/crypto/seal.ts";
import { collectSecrets, isMasked, mapSecrets, maskSecret } from "../lib/json/secret-paths.ts";
import { secretPathsOf } from "../policy/detectors/all.ts";

/** Secrets of one row: their paths, and the seal context of each. */
export interface RowSecrets {
  paths: readonly string[];
  contextOf: (path: string) => SealContext;
}

/** `stored` is the row before the update; undefined on create. */
export function sealSecrets<T>(
  keyring: Keyring,
  { paths, contextOf }: RowSecrets,
  next: T,
  stored: object | undefined,
): T {
  const before = collectSecrets(stored ?? {}, paths);
  return mapSecrets(next, paths, (given, path) => {
    const kept = before.get(path);
    // An equal secret keeps its sealed text, so that the row compares equal.
    const same =
      keepsStoredSecret(given) || (kept && unseal(keyring, contextOf(path), kept) === given);
    if (!same) return seal(keyring, contextOf(path), given);
    if (kept !== undefined) return kept;
    const reason =
      given === "" ? "must not be empty" : "is a masked value. Send the secret itself.";
    throw new AppError("validation_failed", `${path}: ${reason}`);
  });
}

/** Returns whether a sent value means: keep the stored secret. */
export const keepsStoredSecret = (given: string): boolean => given === "" || isMasked(given);

export const maskSecrets = <T>(keyring: Keyring, { paths, contextOf }: RowSecrets, stored: T): T =>
  mapSecrets(stored, paths, (sealed, path) =>
    maskSecret(unseal(keyring, contextOf(path), sealed) ?? ""),
  );

export const registrySecrets = (id: string): RowSecrets => ({
  paths: REGISTRY_SECRETS,
  contextOf: (path) => registrySecret(id, path),
});

export const detectorSecrets = (kind: string, id: string): RowSecrets => ({
  paths: secretPathsOf(kind),
  contextOf: () => sealContextOf("detectors.settings", id),
});
