/** Encrypts a stored secret: AES-256-GCM under a named key, so keys can be rotated one row at a time. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

export interface Keyring {
  /** Id of the key that seals. */
  current: string;
  /** Every key that opens, by id. */
  keys: ReadonlyMap<string, Uint8Array>;
}

const MARK = "sealed:v1:";
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function seal(keyring: Keyring, plain: string): string {
  const key = keyring.keys.get(keyring.current);
  if (!key) throw new Error(`The keyring has no key "${keyring.current}".`);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  const sealed = Buffer.concat([
    iv,
    cipher.update(plain, "utf8"),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return `${MARK}${keyring.current}:${sealed.toString("base64url")}`;
}

/** The plain text, or undefined when the key is unknown or the text was tampered with. */
export function unseal(keyring: Keyring, sealed: string): string | undefined {
  const key = keyring.keys.get(sealedWith(sealed) ?? "");
  if (!key) return undefined;
  const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf(":") + 1), "base64url");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    const body = bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

/** Id of the key a sealed text needs; undefined for anything that is not a sealed text. */
export function sealedWith(text: string): string | undefined {
  if (!text.startsWith(MARK)) return undefined;
  return text.slice(MARK.length, text.lastIndexOf(":"));
}

/** A key for one purpose. From the oldest of the ring: what was made with it outlives a rotation. */
export function derivedKey({ keys }: Keyring, purpose: string): Uint8Array {
  const oldest = [...keys.values()].at(-1) ?? new Uint8Array();
  return new Bun.CryptoHasher("sha256", oldest).update(purpose).digest();
}
