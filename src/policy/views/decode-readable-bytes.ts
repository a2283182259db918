/** Decodes bytes that are readable text. */

/** Returns undefined if the bytes are not UTF-8 or contain control characters. */
export function decodeReadableBytes(bytes: Uint8Array): string | undefined {
  if (!bytes.every(isTextByte)) return undefined;
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Rejects control characters. Non-ASCII bytes are validated when they are decoded. */
export const isTextByte = (byte: number) =>
  byte >= 0x20 ? byte !== 0x7f : byte === 9 || byte === 10 || byte === 13;

const UTF8 = new TextDecoder("utf-8", { fatal: true });
