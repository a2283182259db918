/** Whether bytes are text, and which. */

/** undefined: they are no UTF-8, or hold control characters that no text has. */
export function decodeReadableBytes(bytes: Uint8Array): string | undefined {
  if (!bytes.every(isTextByte)) return undefined;
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Not a control character. Whether bytes beyond ASCII are UTF-8 is seen when they are decoded. */
export const isTextByte = (byte: number) =>
  byte >= 0x20 ? byte !== 0x7f : byte === 9 || byte === 10 || byte === 13;

const UTF8 = new TextDecoder("utf-8", { fatal: true });
