/** Bytes to text, by what they are. What a sender calls them counts last: a false charset would hide the text. */

export function decodeText(bytes: Uint8Array, declared: string | null): string {
  const charset = markedCharset(bytes) ?? wideCharset(bytes);
  if (charset) return new TextDecoder(charset).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(knownCharset(declared) ?? "windows-1252").decode(bytes);
  }
}

/** The `charset` parameter of a content type. */
export const charsetOf = (contentType: string | null): string | null =>
  /;\s{0,9}charset\s{0,9}=\s{0,9}"?([\w.:-]{1,40})/i.exec(contentType ?? "")?.[1] ?? null;

/** NUL bytes are a binary file's, unless every second byte is one: that is UTF-16 without its mark. */
export const isBinary = (bytes: Uint8Array): boolean =>
  bytes.subarray(0, LOOK).includes(0) && !markedCharset(bytes) && !wideCharset(bytes);

const LOOK = 4096;

function markedCharset(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return undefined;
}

function knownCharset(declared: string | null): string | undefined {
  if (declared === null) return undefined;
  try {
    return new TextDecoder(declared).encoding;
  } catch {
    return undefined; // a charset nobody knows is no reason to leave the text unread
  }
}

function wideCharset(bytes: Uint8Array): string | undefined {
  const look = bytes.subarray(0, LOOK);
  const zeros = [0, 0];
  for (const [index, byte] of look.entries()) {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = zeros;
  const many = look.length / 4;
  if (odd > many && even < odd / 8) return "utf-16le";
  return even > many && odd < even / 8 ? "utf-16be" : undefined;
}
