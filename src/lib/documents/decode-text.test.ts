import { expect, test } from "bun:test";
import { zstdCompressSync } from "node:zlib";
import { readCharsets } from "./declared-charsets.ts";
import { decodeText } from "./decode-text.ts";

const wide = (text: string) => Buffer.from(text, "utf16le");

test.each([
  ["UTF-8", Buffer.from("naïve €"), null, "naïve €"],
  ["a UTF-8 byte order mark", Buffer.from("\ufeffnaïve"), "iso-8859-1", "naïve"],
  [
    "a UTF-16 byte order mark",
    Buffer.concat([Buffer.of(0xff, 0xfe), wide("naïve")]),
    "utf-8",
    "naïve",
  ],
  ["a big-endian UTF-16 byte order mark", wide("\ufeffnaïve").swap16(), null, "naïve"],
  ["UTF-16 without a byte order mark", wide("plain naïve text"), null, "plain naïve text"],
  [
    "big-endian UTF-16 without a byte order mark",
    wide("plain naïve text").swap16(),
    null,
    "plain naïve text",
  ],
  ["a declared charset", Buffer.of(0xcf, 0xf0, 0xe8), "windows-1251", "При"],
  ["Latin-1 that is not declared", Buffer.from("na\xefve", "latin1"), null, "naïve"],
  ["UTF-8 that is declared as UTF-16", Buffer.from("plain"), "utf-16le", "plain"],
  ["an unknown charset", Buffer.from("na\xefve", "latin1"), "klingon-8", "naïve"],
])("text is decoded from %s", (_, bytes, declared, text) => {
  expect(decodeText(bytes, declared === null ? [] : [declared])).toBe(text);
});

test.each([
  ["text/html; charset=utf-8", ["utf-8"]],
  ['text/plain;charset="ISO-8859-1"; charset=big5', ["iso-8859-1", "big5"]],
  ["text/plain", []],
  [null, []],
])("the charsets of %p are %p", (contentType, charsets) => {
  expect(readCharsets(contentType)).toEqual(charsets);
});

test.each([
  ["a picture", Buffer.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1)],
  ["zeros", Buffer.alloc(64)],
  ["zstd frames", zstdCompressSync("Notes of the meeting. Notes of the next meeting.")],
  ["lz4 frames", Buffer.from("\x04\x22\x4d\x18@@ Notes of the meeting.")],
  ["random bytes", Buffer.from(new Bun.CryptoHasher("sha512").update("a").digest())],
])("%s are not text", (_, bytes) => {
  expect(decodeText(bytes)).toBeUndefined();
});

test("no bytes are decoded to empty text", () => {
  expect(decodeText(Buffer.alloc(0))).toBe("");
});
