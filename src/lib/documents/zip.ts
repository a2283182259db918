/** Reads chosen files out of a zip archive, within limits that a bomb cannot pass. */
import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import { documentProblem } from "./document-problem.ts";

export interface ZipEntry {
  name: string;
  read: () => Promise<Uint8Array>;
}

const MiB = 1024 * 1024;
const MOST_ENTRIES = 5000;
/** Of all entries together that are read: overlapping ones count each time. */
const MOST_INFLATED = 64 * MiB;
/** Office XML shrinks to a twentieth at best; what shrinks more is there to burst. */
const MOST_RATIO = 200;
const RATIO_FROM = MiB;

export function zipEntries(bytes: Uint8Array): ZipEntry[] {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = archive.lastIndexOf(END_SIGNATURE);
  if (end < 0 || end + 22 > archive.length) throw damaged();
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffffffff) {
    throw documentProblem("The archive is of the zip64 kind, which is not read.");
  }
  if (count > MOST_ENTRIES) {
    throw documentProblem(`The archive holds more than ${MOST_ENTRIES} files.`);
  }

  const budget = { left: MOST_INFLATED };
  const entries: ZipEntry[] = [];
  for (let index = 0; index < count; index++) {
    if (at + 46 > archive.length || archive.readUInt32LE(at) !== ENTRY_SIGNATURE) throw damaged();
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
      archive.readUInt16LE(at + offset),
    ) as [number, number, number];
    const described = {
      flags: archive.readUInt16LE(at + 8),
      method: archive.readUInt16LE(at + 10),
      size: archive.readUInt32LE(at + 20),
      offset: archive.readUInt32LE(at + 42),
    };
    const name = archive.toString("utf8", at + 46, at + 46 + nameLength);
    entries.push({ name, read: () => inflated(archive, described, budget) });
    at += 46 + nameLength + extraLength + commentLength;
  }
  return entries;
}

const END_SIGNATURE = Buffer.from("PK\x05\x06", "latin1");
const ENTRY_SIGNATURE = 0x02014b50;
const FILE_SIGNATURE = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;
const damaged = () => documentProblem("The archive is damaged.");

interface Described {
  flags: number;
  method: number;
  /** Compressed. The other size is only a claim, so nobody asks for it. */
  size: number;
  offset: number;
}

async function inflated(
  archive: Buffer,
  { flags, method, size, offset }: Described,
  budget: { left: number },
): Promise<Uint8Array> {
  if (flags & 1) throw documentProblem("The archive is encrypted.");
  if (method !== STORED && method !== DEFLATED) {
    throw documentProblem("The archive is compressed in a way that is not read.");
  }
  if (offset + 30 > archive.length || archive.readUInt32LE(offset) !== FILE_SIGNATURE) {
    throw damaged();
  }
  const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
  if (start + size > archive.length) throw damaged();
  const packed = archive.subarray(start, start + size);
  const content = method === DEFLATED ? await inflateWithin(packed, budget.left) : packed;
  if (content.length > budget.left) throw bomb();
  budget.left -= content.length;
  return content;
}

const inflate = promisify(inflateRaw);

async function inflateWithin(packed: Uint8Array, left: number): Promise<Uint8Array> {
  const most = Math.min(left, Math.max(RATIO_FROM, packed.length * MOST_RATIO));
  if (most <= 0) throw bomb();
  return inflate(packed, { maxOutputLength: most }).catch((thrown: { code?: unknown }) => {
    throw thrown.code === "ERR_BUFFER_TOO_LARGE" ? bomb() : damaged();
  });
}

const bomb = () => documentProblem("The archive inflates to far more than its size (a zip bomb).");
