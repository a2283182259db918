/** Writes Word documents. */
import { deflateRawSync } from "node:zlib";

export function docx(body: string): Buffer {
  return zipDocument(`<w:document><w:body>${body}</w:body></w:document>`);
}

/** Returns an archive whose only file is the main part of a Word document. */
export function zipDocument(content: string | Buffer): Buffer {
  const name = "word/document.xml";
  const packed = deflateRawSync(content);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50);
  local.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50);
  entry.writeUInt16LE(8, 10);
  entry.writeUInt32LE(packed.length, 20);
  entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(local.length + name.length + packed.length, 16);
  return Buffer.concat([local, Buffer.from(name), packed, entry, Buffer.from(name), end]);
}
