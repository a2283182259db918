/** Encodes pixels as PNG, and reads the size of a PNG from its header. */

import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";

export interface Size {
  width: number;
  height: number;
}

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const compress = promisify(deflate);

/** Each row in `rows` has one filter byte (0, none) and its RGB triples. */
export async function encodePng({ width, height }: Size, rows: Buffer): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // eight bits per channel, RGB
  const pixels = await compress(rows, { level: 3 });
  return Buffer.concat([SIGNATURE, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND")]);
}

export function readPngSize(head: Buffer): Size | undefined {
  if (head.length < 24 || !head.subarray(0, 8).equals(SIGNATURE)) return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

function chunk(type: string, content: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), content]);
  const length = Buffer.alloc(4);
  const checksum = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
