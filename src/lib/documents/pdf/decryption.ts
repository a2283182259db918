/** Decrypts PDFs that need no password for reading, as forms and statements often do. */
import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { documentProblem } from "../document-problem.ts";
import { isName, type PdfDict, type PdfValue } from "./value-reader.ts";

export type Decrypt = (bytes: Uint8Array, number: number, generation: number) => Uint8Array;

/** `encrypt` and `id` are from the trailer, references resolved. */
export function createDecrypt(encrypt: PdfDict, id: string): Decrypt {
  const filter = encrypt.get("Filter");
  const version = number(encrypt, "V");
  if (!isName(filter) || filter.name !== "Standard" || version < 1 || version > 5)
    throw unsupportedError();
  const aes = version === 4 && usesAes(encrypt);
  if (version === 5) {
    const key = deriveAes256Key(encrypt);
    return (bytes) => decryptAes(key, bytes);
  }
  const key = deriveLegacyKey(encrypt, Buffer.from(id, "latin1"));
  return (bytes, object, generation) => {
    const objectId = Buffer.alloc(5);
    objectId.writeUIntLE(object % 2 ** 24, 0, 3);
    objectId.writeUInt16LE(generation % 2 ** 16, 3);
    const salt = aes ? [Buffer.from("sAlT")] : [];
    const own = digest("md5", key, objectId, ...salt).subarray(0, Math.min(16, key.length + 5));
    return aes ? decryptAes(own, bytes) : rc4(own, bytes);
  };
}

const PADDING = Buffer.from(
  "28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a",
  "hex",
);

const digest = (algorithm: string, ...parts: Uint8Array[]): Buffer =>
  createHash(algorithm).update(Buffer.concat(parts)).digest();

function number(dict: PdfDict, key: string): number {
  const value = dict.get(key);
  return typeof value === "number" ? value : 0;
}

function binary(dict: PdfDict, key: string): Buffer {
  const value = dict.get(key);
  return Buffer.from(typeof value === "string" ? value : "", "latin1");
}

function usesAes(encrypt: PdfDict): boolean {
  const filters = encrypt.get("CF");
  const used = encrypt.get("StmF");
  const chosen = filters instanceof Map && isName(used) ? filters.get(used.name) : undefined;
  const method: PdfValue | undefined = chosen instanceof Map ? chosen.get("CFM") : undefined;
  return isName(method) && method.name.startsWith("AES");
}

const unsupportedError = () => documentProblem("The PDF uses an unsupported encryption.");
const passwordError = () => documentProblem("The PDF needs a password.");

/** Derives the key of PDF up to 1.7: MD5, and RC4 or AES-128. */
function deriveLegacyKey(encrypt: PdfDict, id: Buffer): Buffer {
  const revision = number(encrypt, "R");
  const length = keyLength(revision, number(encrypt, "Length") >> 3);
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(number(encrypt, "P") | 0);
  const open = revision >= 4 && encrypt.get("EncryptMetadata") === false;
  const rest = open ? [Buffer.alloc(4, 0xff)] : [];
  let key = digest("md5", PADDING, binary(encrypt, "O").subarray(0, 32), permissions, id, ...rest);
  for (let round = 0; revision >= 3 && round < 50; round++) {
    key = digest("md5", key.subarray(0, length));
  }
  key = key.subarray(0, length);

  let proof = revision === 2 ? PADDING : digest("md5", PADDING, id);
  for (let round = 0; round < (revision === 2 ? 1 : 20); round++) {
    proof = rc4(
      key.map((byte) => byte ^ round),
      proof,
    );
  }
  if (!proof.equals(binary(encrypt, "U").subarray(0, proof.length))) throw passwordError();
  return key;
}

/** Revision 4 has one length, regardless of the declared one. */
function keyLength(revision: number, claimed: number): number {
  if (revision === 2) return 5;
  return revision === 3 ? Math.min(16, Math.max(5, claimed)) : 16;
}

/** Derives the key of PDF 2.0: SHA-2 and AES-256. */
function deriveAes256Key(encrypt: PdfDict): Buffer {
  const hash = number(encrypt, "R") >= 6 ? hardenedHash : (salt: Buffer) => digest("sha256", salt);
  const user = binary(encrypt, "U");
  const sealed = binary(encrypt, "UE").subarray(0, 32);
  if (sealed.length < 32) throw unsupportedError();
  if (!hash(user.subarray(32, 40)).equals(user.subarray(0, 32))) throw passwordError();
  const cipher = createDecipheriv("aes-256-cbc", hash(user.subarray(40, 48)), Buffer.alloc(16));
  return cipher.setAutoPadding(false).update(sealed);
}

/** ISO 32000-2, algorithm 2.B, for the empty password. */
function hardenedHash(salt: Buffer): Buffer {
  let key = digest("sha256", salt);
  let mixed = Buffer.alloc(0);
  for (let round = 0; round < 64 || (mixed.at(-1) ?? 0) > round - 32; round++) {
    const cipher = createCipheriv("aes-128-cbc", key.subarray(0, 16), key.subarray(16, 32));
    mixed = cipher.setAutoPadding(false).update(Buffer.concat(Array<Buffer>(64).fill(key)));
    const sum = mixed.subarray(0, 16).reduce((total, byte) => total + byte, 0);
    key = digest(["sha256", "sha384", "sha512"][sum % 3] ?? "sha256", mixed);
  }
  return key.subarray(0, 32);
}

/** The first block is the initialization vector; an incomplete block at the end is dropped. */
function decryptAes(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const whole = bytes.length - (bytes.length % 16);
  if (whole < 32) return new Uint8Array();
  if (key.length !== 16 && key.length !== 32) throw unsupportedError();
  const cipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, bytes.subarray(0, 16));
  const plain = cipher.setAutoPadding(false).update(bytes.subarray(16, whole));
  const padding = plain.at(-1) ?? 0;
  return padding <= 16 ? plain.subarray(0, plain.length - padding) : plain;
}

function rc4(key: Uint8Array, bytes: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number) => state[index & 255] ?? 0;
  const swap = (first: number, second: number) => {
    const held = at(first);
    state[first & 255] = at(second);
    state[second & 255] = held;
  };
  for (let index = 0, other = 0; index < 256; index++) {
    other = (other + at(index) + (key[index % key.length] ?? 0)) & 255;
    swap(index, other);
  }
  const out = Buffer.alloc(bytes.length);
  for (let index = 0, other = 0; index < bytes.length; index++) {
    other = (other + at(index + 1)) & 255;
    swap(index + 1, other);
    out[index] = (bytes[index] ?? 0) ^ at(at(index + 1) + at(other));
  }
  return out;
}
