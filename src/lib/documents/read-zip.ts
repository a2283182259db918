/** Reads the files of a zip archive, with limits against bombs. */
import { type InflateRaw, inflateRaw } from "node:zlib";
import { viewBytes } from "../view-bytes.ts";
import { decodeText } from "./decode-text.ts";
import { documentProblem } from "./document-problem.ts";
import { findText } from "./find-text.ts";
import { overBudgetError, type ReadingBudget, spendBytes } from "./reading-budget.ts";

export interface ZipEntry {
  name: string;
  read: () => Promise<ZipContent>;
}

export interface ZipContent {
  content: Uint8Array;
  /** Bytes follow the compressed data. Readers that ignore the directory find files there. */
  has_rest: boolean;
}

const MiB = 1024 * 1024;
const MAX_ENTRIES = 5000;
/** Office XML compresses to a twentieth at best; more is a bomb. */
const MAX_RATIO = 200;
const RATIO_FROM = MiB;

export interface Zip {
  entries: ZipEntry[];
  /** There are bytes that no entry covers. Readers that ignore the directory find files there. */
  has_hidden_bytes: boolean;
  /** Comments of the archive and of its files, and text in extra fields. */
  comments: string[];
}

/** Accepts only a directory that every reader finds: directly before the end record, at the end of the file. */
export function readZip(bytes: Uint8Array, budget: ReadingBudget): Zip {
  const archive = viewBytes(bytes);
  const end = archive.lastIndexOf(END_SIGNATURE);
  if (end < 0 || end + 22 > archive.length) throw damagedError();
  if (end + 22 + archive.readUInt16LE(end + 20) !== archive.length) throw damagedError();
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffffffff) {
    throw documentProblem("The archive uses zip64, which is not supported.");
  }
  if (count > MAX_ENTRIES) {
    throw documentProblem(`The archive holds more than ${MAX_ENTRIES} files.`);
  }

  const directory = at;
  const entries: ZipEntry[] = [];
  const ranges: Range[] = [];
  const comments = [readComment(archive.subarray(end + 22))];
  for (let index = 0; index < count; index++) {
    if (at + 46 > archive.length || archive.readUInt32LE(at) !== ENTRY_SIGNATURE)
      throw damagedError();
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
      archive.readUInt16LE(at + offset),
    ) as [number, number, number];
    const described = {
      flags: archive.readUInt16LE(at + 8),
      method: archive.readUInt16LE(at + 10),
      size: archive.readUInt32LE(at + 20),
      offset: archive.readUInt32LE(at + 42),
    };
    const nameBytes = archive.subarray(at + 46, at + 46 + nameLength);
    entries.push({
      name: nameBytes.toString(),
      read: () => readEntry(archive, described, budget),
    });
    const start = dataStart(archive, described);
    ranges.push({ from: described.offset, to: start + described.size });
    // The header of the file repeats the name, and has extra fields of its own.
    const repeated = archive.subarray(described.offset + 30, start);
    const isEqual = nameBytes.equals(repeated.subarray(0, nameLength));
    const own = isEqual ? repeated.subarray(nameLength) : repeated;
    // Entries can share a header.
    spendBytes(budget, own.length);
    at += 46 + nameLength + extraLength + commentLength;
    const comment = archive.subarray(at - commentLength, at);
    const extra = archive.subarray(at - commentLength - extraLength, at - commentLength);
    comments.push(...findText(own), ...findText(extra), readComment(comment));
  }
  if (at !== end) throw damagedError();
  return { entries, has_hidden_bytes: hasGap(ranges, directory), comments };
}

const readComment = (bytes: Buffer): string => decodeText(bytes) ?? bytes.toString();

interface Range {
  from: number;
  to: number;
}

/** A data descriptor may follow a file. */
const MAX_GAP = 24;

function hasGap(ranges: Range[], end: number): boolean {
  let covered = 0;
  for (const { from, to } of ranges.sort((one, other) => one.from - other.from)) {
    if (from > covered + (covered > 0 ? MAX_GAP : 0)) return true;
    covered = Math.max(covered, to);
  }
  return end > covered + (covered > 0 ? MAX_GAP : 0);
}

/** Returns the offset of the content of a file, after a header that repeats its name. */
function dataStart(archive: Buffer, { offset }: EntryHeader): number {
  if (offset + 30 > archive.length || archive.readUInt32LE(offset) !== FILE_SIGNATURE) {
    throw damagedError();
  }
  return offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
}

const END_SIGNATURE = Buffer.from("PK\x05\x06", "latin1");
const ENTRY_SIGNATURE = 0x02014b50;
const FILE_SIGNATURE = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;
const damagedError = () => documentProblem("The archive is damaged.");

interface EntryHeader {
  flags: number;
  method: number;
  /** Compressed size. The declared decompressed size is not trusted, so it is not read. */
  size: number;
  offset: number;
}

async function readEntry(
  archive: Buffer,
  described: EntryHeader,
  budget: ReadingBudget,
): Promise<ZipContent> {
  const { flags, method, size } = described;
  if (flags & 1) throw documentProblem("The archive is encrypted.");
  if (method !== STORED && method !== DEFLATED) {
    throw documentProblem("The archive uses an unsupported compression method.");
  }
  const start = dataStart(archive, described);
  if (start + size > archive.length) throw damagedError();
  const packed = archive.subarray(start, start + size);
  const read =
    method === DEFLATED
      ? await inflateWithin(packed, budget)
      : { content: packed, has_rest: false };
  // Overlapping entries count each time they are read.
  spendBytes(budget, read.content.length);
  return read;
}

async function inflateWithin(packed: Uint8Array, budget: ReadingBudget): Promise<ZipContent> {
  const plausible = Math.max(RATIO_FROM, packed.length * MAX_RATIO);
  const max = Math.min(budget.bytes, plausible);
  if (max <= 0) throw overBudgetError();
  const options = { maxOutputLength: max, info: true };
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  inflateRaw(packed, options, (error, result) => (error ? reject(error) : resolve(result)));
  const { buffer, engine } = (await promise.catch((thrown: { code?: unknown }) => {
    // Bytes that are inflated and discarded cost as much, also before the damage: its offset is unknown.
    budget.bytes -= max;
    if (thrown.code !== "ERR_BUFFER_TOO_LARGE") throw damagedError();
    throw max < plausible ? overBudgetError() : bombError();
  })) as { buffer: Uint8Array; engine: InflateRaw };
  return { content: buffer, has_rest: engine.bytesWritten < packed.length };
}

const bombError = () =>
  documentProblem("The archive inflates to far more than its size (a zip bomb).");
