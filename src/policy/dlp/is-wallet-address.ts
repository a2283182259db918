/** Validates the checksums of cryptocurrency wallet addresses. */
import { createHash } from "node:crypto";

/**
 * Ignores Ethereum's mixed-case checksum: wallets also display addresses without it, and 0x with 40 hexadecimal digits
 * is unambiguous.
 */
export const isWalletAddress = (word: string) =>
  word.startsWith("0x") ? !/^0x0*$/.test(word) : isBech32(word) || isBase58Check(word);

const BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** BIP 173 and, for taproot, BIP 350. */
function isBech32(word: string): boolean {
  const split = word.lastIndexOf("1");
  if (split < 1) return false;
  const prefix = [...word.slice(0, split)].map((character) => character.charCodeAt(0));
  const values = [...word.slice(split + 1)].map((character) => BECH32.indexOf(character));
  if (values.length < 6 || values.includes(-1)) return false;

  const high = prefix.map((code) => code >> 5);
  const low = prefix.map((code) => code & 31);
  let sum = 1;
  for (const value of [...high, 0, ...low, ...values]) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    GENERATOR.forEach((term, bit) => {
      if ((top >> bit) & 1) sum ^= term;
    });
  }
  return sum === 1 || sum === 0x2bc830a3;
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** Version bytes of addresses: Bitcoin, Litecoin, Dogecoin, Dash, Tron. */
const VERSIONS: ReadonlySet<number> = new Set([
  0x00, 0x05, 0x30, 0x32, 0x1e, 0x16, 0x4c, 0x10, 0x41,
]);

function isBase58Check(word: string): boolean {
  if (!/[a-z]/.test(word) || !/[A-Z]/.test(word)) return false;
  let number = 0n;
  for (const character of word) number = number * 58n + BigInt(BASE58.indexOf(character));
  const hex = number.toString(16).padStart(50, "0");
  if (hex.length !== 50) return false;
  const bytes = Buffer.from(hex, "hex");
  if (!VERSIONS.has(bytes[0] ?? -1)) return false;
  return sha256(sha256(bytes.subarray(0, 21)))
    .subarray(0, 4)
    .equals(bytes.subarray(21));
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
