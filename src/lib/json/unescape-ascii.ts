/** Decodes the escapes of ASCII characters in JSON text, such as `\u0041`. */
import { viewBytes } from "../view-bytes.ts";

/**
 * The result is only for searching: escaped backslashes are ignored, and an escape up to U+00FF becomes one byte. A
 * callback for each escape would take ten times as long.
 */
export function unescapeAscii(json: Uint8Array): Uint8Array {
  const text = viewBytes(json);
  let from = text.indexOf("\\u00");
  if (from < 0) return json;
  const out = Buffer.from(text);
  let to = from;
  while (from < text.length) {
    const isEscape =
      text[from] === BACKSLASH &&
      text[from + 1] === LETTER_U &&
      text[from + 2] === ZERO &&
      text[from + 3] === ZERO;
    const code = isEscape ? readHex(text[from + 4]) * 16 + readHex(text[from + 5]) : text[from];
    out[to++] = code ?? 0;
    from += isEscape ? 6 : 1;
  }
  return out.subarray(0, to);
}

const readHex = (digit = ZERO): number => (digit > NINE ? (digit | 0x20) - 0x57 : digit - ZERO);
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const ZERO = 0x30;
const NINE = 0x39;
