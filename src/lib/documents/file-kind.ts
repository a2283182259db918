/** Detects the kind of a file from its bytes. */
import { viewBytes } from "../view-bytes.ts";

/** Number of bytes that `detectKindFromStart` reads, except of blank ones. */
export const HEAD_BYTES = 1024;

export type FileKind = "pdf" | "archive" | "old_office" | "gzip" | "rtf";

/** Detects documents with text; `archive` is an Office Open XML document or any other zip. */
export function detectKindFromStart(bytes: Uint8Array): FileKind | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  if (head.startsWith("PK\x03\x04") || head.startsWith("PK\x05\x06")) return "archive";
  if (head.startsWith("\x1f\x8b\x08")) return "gzip";
  if (startsAsRtf(bytes)) return "rtf";
  if (head.startsWith("\xd0\xcf\x11\xe0")) return "old_office";
  // PDF viewers accept other bytes before the header. An archive may begin with a PDF that is not compressed.
  return head.includes("%PDF-") ? "pdf" : undefined;
}

/** Readers accept white space, marks and control words before the first one of RTF, and Word a part of its name. */
function startsAsRtf(bytes: Uint8Array): boolean {
  const first = findWord(bytes);
  if (!bytes.subarray(0, first).includes(BRACE)) return false;
  const head = viewBytes(bytes.subarray(first - 1, first + HEAD_BYTES)).toString("latin1");
  return /^(?:\\[a-z]+-?\d*\s*){0,20}\\u?rt/i.test(head);
}

const BRACE = 0x7b;

/** Returns the position of the first letter or digit, or the length. */
function findWord(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length && !WORD_BYTES[bytes[at] ?? 0]) at++;
  return at;
}

const WORD_BYTES = Array.from({ length: 256 }, (_, byte) =>
  /[a-z\d]/i.test(String.fromCharCode(byte)),
);

/** Returns whether the bytes have no letter or digit, so that a document may begin after them. */
export const isBlank = (bytes: Uint8Array): boolean => findWord(bytes) === bytes.length;

/** The same for a whole file: an archive or PDF after other bytes is detected by its end, as readers do. */
export function detectFileKind(bytes: Uint8Array): FileKind | undefined {
  const kind = detectKindFromStart(bytes);
  if (kind) return kind;
  if (endsAsArchive(bytes)) return "archive";
  const tail = Buffer.from(bytes.subarray(-HEAD_BYTES)).toString("latin1");
  return /startxref\s+\d+\s+%%EOF/.test(tail) ? "pdf" : undefined;
}

/** Returns whether readers of archives, which begin at the end, may find one after another file. */
export const endsAsArchive = (bytes: Uint8Array): boolean =>
  viewBytes(bytes.subarray(-TAIL_BYTES)).includes("PK\x05\x06", 0, "latin1") &&
  // The directory has an entry. One in 65,000 images has those four bytes by chance.
  viewBytes(bytes).includes("PK\x01\x02", 0, "latin1");

/** The end record of an archive with the longest possible comment. */
const TAIL_BYTES = 22 + 0xffff;

/**
 * Returns whether the bytes are an image, audio, video or font, of which no text is read. Ignores signatures that are
 * shorter than `minBytes`.
 */
export function isMedia(bytes: Uint8Array, minBytes = 0): boolean {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return (
    MEDIA.some((start) => start.length >= minBytes && head.startsWith(start)) ||
    head.startsWith("ftyp", 4) || // MP4, HEIC
    (head.startsWith("RIFF") && /^(?:WEBP|WAVE|AVI )/.test(head.slice(8)))
  );
}

/**
 * Returns whether the bytes are compressed in a format that is not read. Such bytes may be mostly ASCII. Ignores
 * signatures that are shorter than `minBytes`.
 */
export function isCompressed(bytes: Uint8Array, minBytes = 0): boolean {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return (
    COMPRESSED.some((start) => start.length >= minBytes && head.startsWith(start)) ||
    head.startsWith("\xb5/\xfd", 1) || // zstd
    head.startsWith("*M\x18", 1) || // skippable frame of zstd and lz4
    (head.startsWith("BZh") && head.startsWith("1AY&SY", 4)) // bzip2
  );
}

const COMPRESSED = [
  ...['\x04"M\x18', "\x02!L\x18"], // lz4 and its legacy format
  ...["\xfd7zXZ\0", "LZIP\x01", "7z\xbc\xaf'\x1c", "Rar!\x1a\x07"],
  ...["\xff\x06\0\0sNaPpY", "\x89LZO\0", "MSCF\0\0\0\0"], // the last one: cabinet
  ...["x\x01", "x\x9c", "x\xda"], // zlib
];

const MEDIA = [
  ...["\x89PNG", "\xff\xd8\xff", "GIF8", "BM", "II*\0", "MM\0*", "\0\0\x01\0"], // images
  ...["ID3", "\xff\xfb", "\xff\xf3", "\xff\xf2", "\xff\xf1", "OggS", "fLaC"], // audio
  "\x1aE\xdf\xa3", // Matroska, WebM
  ...["wOFF", "wOF2"], // fonts
];
