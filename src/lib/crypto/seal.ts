/** Encrypts stored secrets and tokens: AES-256-GCM under a key that is derived for one purpose. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

export interface Keyring {
  /** Id of the key that seals. */
  current: string;
  /** Every key that opens, by id. */
  keys: ReadonlyMap<string, Uint8Array>;
}

/** Binds a sealed text to its place: it cannot be unsealed in any other context. */
export interface SealContext {
  /** Selects the derived key. */
  purpose: string;
  /** Authenticated with the text. Empty for text that is not stored in a row. */
  id: string;
}

const MARK = "sealed:v2:";
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function seal(keyring: Keyring, { purpose, id }: SealContext, plain: string): string {
  const key = keyring.keys.get(keyring.current);
  if (!key) throw new Error(`The keyring has no key "${keyring.current}".`);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyFor(key, purpose), iv).setAAD(Buffer.from(id));
  const sealed = Buffer.concat([
    iv,
    cipher.update(plain, "utf8"),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return `${MARK}${keyring.current}:${sealed.toString("base64url")}`;
}

/** Returns undefined when the key is unknown, the context differs or the text was tampered with. */
export function unseal(
  keyring: Keyring,
  { purpose, id }: SealContext,
  sealed: string,
): string | undefined {
  const key = keyring.keys.get(sealedWith(sealed) ?? "");
  return key && decrypt(keyFor(key, purpose), sealed, id);
}

/** Returns the id of the key that sealed the text; undefined when it is not sealed. */
export function sealedWith(text: string): string | undefined {
  return text.startsWith(MARK) ? keyIdOf(text) : undefined;
}

/** Version 1 used the keys directly, without a context. Only read, to upgrade a database. */
export const isSealedV1 = (text: string): boolean => text.startsWith("sealed:v1:");

export function unsealV1(keyring: Keyring, sealed: string): string | undefined {
  const key = isSealedV1(sealed) ? keyring.keys.get(keyIdOf(sealed)) : undefined;
  return key && decrypt(key, sealed, "");
}

/** Returns a MAC key for one purpose, derived from the oldest key: it stays the same after a rotation. */
export function derivedKey({ keys }: Keyring, purpose: string): Uint8Array {
  const oldest = [...keys.values()].at(-1) ?? new Uint8Array();
  return new Bun.CryptoHasher("sha256", oldest).update(purpose).digest();
}

const keyIdOf = (sealed: string): string =>
  sealed.slice(MARK.length, sealed.indexOf(":", MARK.length));

function decrypt(key: Uint8Array, sealed: string, id: string): string | undefined {
  const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf(":") + 1), "base64url");
  // GCM accepts shorter tags, which are easier to forge.
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(id))
      .setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    const body = bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

/** Derived keys by purpose. The program has a fixed number of purposes. */
const derived = new WeakMap<Uint8Array, Map<string, Uint8Array>>();

function keyFor(key: Uint8Array, purpose: string): Uint8Array {
  const known = derived.get(key) ?? new Map<string, Uint8Array>();
  derived.set(key, known);
  const cached = known.get(purpose);
  if (cached) return cached;
  const fresh = new Uint8Array(hkdfSync("sha256", key, "", `portcullis seal v2 ${purpose}`, 32));
  known.set(purpose, fresh);
  return fresh;
}
