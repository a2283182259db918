/** Secrets on their way in are sealed, on their way out masked; what a caller left masked stays as it was. */
import { AppError } from "../contract/errors.ts";
import { type Keyring, seal, unseal } from "../lib/seal.ts";
import { isMasked, mapSecrets, mask, secretsIn } from "../lib/secret-paths.ts";

/** `stored` holds the sealed secrets of the row before, or undefined on create. */
export function sealSecrets<T>(
  keyring: Keyring,
  paths: readonly string[],
  next: T,
  stored: object | undefined,
): T {
  const before = secretsIn(stored ?? {}, paths);
  return mapSecrets(next, paths, (given, path) => {
    const kept = before.get(path);
    // The same secret keeps its sealed text too, so that what holds it counts as unchanged.
    const same = keepsStored(given) || (kept && unseal(keyring, kept) === given);
    if (!same) return seal(keyring, given);
    if (kept !== undefined) return kept;
    const reason = given === "" ? "must not be empty" : "is a masked value: send the secret itself";
    throw new AppError("validation_failed", `${path}: ${reason}`);
  });
}

/** Whatever is sent so stands for the stored secret, be it its own mask or another. */
export const keepsStored = (given: string): boolean => given === "" || isMasked(given);

export const maskSecrets = <T>(keyring: Keyring, paths: readonly string[], stored: T): T =>
  mapSecrets(stored, paths, (sealed) => mask(unseal(keyring, sealed) ?? ""));
