/** Decodes the filters of a PDF stream. Caps the output, so that a small file cannot exhaust memory. */
import { promisify } from "node:util";
import { constants, inflate } from "node:zlib";
import { documentProblem } from "../document-problem.ts";
import type { PdfDict } from "./value-reader.ts";

/** Returns undefined for the filter of a picture, or an unknown one: it contains no text. */
export async function decodeFilter(
  name: string,
  bytes: Uint8Array,
  parameters: PdfDict,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  switch (name) {
    case "FlateDecode":
    case "Fl":
      return undoPredictor(await inflateWithin(bytes, maxBytes), parameters);
    case "LZWDecode":
    case "LZW":
      return undoPredictor(
        decodeLzw(bytes, parameters.get("EarlyChange") !== 0, maxBytes),
        parameters,
      );
    case "ASCII85Decode":
    case "A85":
      return decodeAscii85(bytes, maxBytes);
    case "ASCIIHexDecode":
    case "AHx":
      return decodeAsciiHex(bytes);
    case "RunLengthDecode":
    case "RL":
      return decodeRunLength(bytes, maxBytes);
    case "Crypt":
      return bytes;
    default:
      return undefined;
  }
}

export const bombError = () =>
  documentProblem("The PDF inflates to far more than its size (a bomb).");

const inflateAsync = promisify(inflate);

/** Returns what a damaged stream contains before the damage, as viewers do. */
async function inflateWithin(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const options = { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH };
  return inflateAsync(bytes, options).catch((thrown: { code?: unknown }) => {
    if (thrown.code === "ERR_BUFFER_TOO_LARGE") throw bombError();
    throw documentProblem("The PDF contains a damaged stream.");
  });
}

function decodeLzw(bytes: Uint8Array, early: boolean, maxBytes: number): Uint8Array {
  const out: Uint8Array[] = [];
  let size = 0;
  const table: Uint8Array[] = Array.from({ length: FIRST_SEQUENCE }, (_, code) =>
    Uint8Array.of(code & 0xff),
  );
  let previous: Uint8Array | undefined;
  let [bits, held] = [0, 0];
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    const width = Math.min(12, 32 - Math.clz32(Math.max(256, table.length + (early ? 1 : 0))));
    if (bits < width) continue;
    bits -= width;
    const code = (held >>> bits) & ((1 << width) - 1);
    held &= (1 << bits) - 1;
    if (code === 257) break;
    if (code === 256) {
      table.length = FIRST_SEQUENCE;
      previous = undefined;
      continue;
    }
    const known: Uint8Array | undefined = table[code] ?? (previous && append(previous, previous));
    if (!known) break;
    if (previous && table.length < 4096) table.push(append(previous, known));
    out.push(known);
    size += known.length;
    if (size > maxBytes) throw bombError();
    previous = known;
  }
  return Buffer.concat(out);
}

/** Code of the first sequence, after the bytes and two commands. */
const FIRST_SEQUENCE = 258;

function append(sequence: Uint8Array, next: Uint8Array): Uint8Array {
  const longer = new Uint8Array(sequence.length + 1);
  longer.set(sequence);
  longer[sequence.length] = next[0] ?? 0;
  return longer;
}

function decodeAscii85(bytes: Uint8Array, maxBytes: number): Uint8Array {
  let max = bytes.length + 4;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === LETTER_Z) max += 4;
  if (max > maxBytes) throw bombError();
  const out = new Uint8Array(max);
  let size = 0;
  let digits = 0;
  let number = 0;
  const take = (digit: number) => {
    number = number * 85 + digit;
    if (++digits < 5) return;
    for (const shift of [24, 16, 8, 0]) out[size++] = Math.floor(number / 2 ** shift);
    digits = 0;
    number = 0;
  };
  for (const byte of bytes) {
    if (byte === 0x7e) break; // ~>
    if (byte === LETTER_Z && digits === 0) size += 4;
    else if (byte >= 0x21 && byte <= 0x75) take(byte - 0x21);
  }
  const missing = digits > 1 ? 5 - digits : 0;
  for (let index = 0; index < missing; index++) take(84);
  return out.subarray(0, size - missing);
}

const LETTER_Z = 0x7a;

function decodeAsciiHex(bytes: Uint8Array): Uint8Array {
  const [written = ""] = Buffer.from(bytes).toString("latin1").split(">", 1);
  const digits = written.replace(/[^\da-f]/gi, "");
  return Buffer.from(digits.length % 2 ? `${digits}0` : digits, "hex");
}

function decodeRunLength(bytes: Uint8Array, maxBytes: number): Uint8Array {
  // One array instead of one for each run: a run may have one byte.
  const out = new Uint8Array(Math.min(maxBytes, bytes.length * 64));
  let size = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at] ?? 128;
    if (length === 128) break;
    const from = at + 1;
    at = length < 128 ? Math.min(from + length + 1, bytes.length) : from + 1;
    const end = size + (length < 128 ? at - from : 257 - length);
    if (end > maxBytes) throw bombError();
    if (length < 128) for (let byte = from; byte < at; byte++) out[size++] = bytes[byte] ?? 0;
    else out.fill(bytes[from] ?? 0, size, end);
    size = end;
  }
  return out.slice(0, size);
}

/** Reverses PNG predictors. TIFF predictors are used for pictures only. */
function undoPredictor(bytes: Uint8Array, parameters: PdfDict): Uint8Array {
  const number = (key: string, fallback: number) => {
    const value = parameters.get(key);
    return typeof value === "number" && value > 0 ? value : fallback;
  };
  if (number("Predictor", 1) < 10) return bytes;
  const pixel = Math.max(1, (number("Colors", 1) * number("BitsPerComponent", 8)) >> 3);
  const width = Math.ceil(
    (number("Colors", 1) * number("BitsPerComponent", 8) * number("Columns", 1)) / 8,
  );
  const rows = Math.ceil(bytes.length / (width + 1));
  const out = new Uint8Array(Math.max(0, bytes.length - rows));
  for (let row = 0; row < rows; row++) {
    const kind = bytes[row * (width + 1)];
    const start = row * width;
    for (let column = 0; column < width && start + column < out.length; column++) {
      const left = column >= pixel ? (out[start + column - pixel] ?? 0) : 0;
      const up = row > 0 ? (out[start + column - width] ?? 0) : 0;
      const corner = row > 0 && column >= pixel ? (out[start + column - width - pixel] ?? 0) : 0;
      const predicted = predict(kind, left, up, corner);
      out[start + column] = (bytes[row * (width + 1) + 1 + column] ?? 0) + predicted;
    }
  }
  return out;
}

function predict(kind: number | undefined, left: number, up: number, corner: number): number {
  if (kind === 1) return left;
  if (kind === 2) return up;
  if (kind === 3) return (left + up) >> 1;
  if (kind !== 4) return 0;
  const guess = left + up - corner;
  const byLeft = Math.abs(guess - left);
  const byUp = Math.abs(guess - up);
  const byCorner = Math.abs(guess - corner);
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}
