/** Decodes the bytes of RTF text in the code pages that the document and its fonts declare. */
import { isAscii, isUtf8 } from "node:buffer";
import { resolveCharset } from "./declared-charsets.ts";

export interface RtfDecoder {
  /** Applies a control word if it declares a code page. `font`: the current one; undefined is the default. */
  declare: (word: string, value: number, font: number | undefined) => void;
  /** Decodes a string of bytes. The second text is what readers show that ignore fonts. */
  decode: (letters: string, font: number | undefined) => [string, string];
  /** Returns the letter of a number in Unicode. */
  toLetter: (number: number) => string;
  /** Returns whether letters of an unknown code page were decoded, as Western ones. */
  hasUnknownLetters: () => boolean;
}

/** `bytes`: the whole file. */
export function createRtfDecoder(bytes: Uint8Array): RtfDecoder {
  const decoders = new Map<number, TextDecoder | undefined>();
  const fonts = new Map<number, number>();
  let documentPage = WESTERN;
  let defaultFont = 0;
  let hasUnknownLetters = false;
  // Some readers decode the file as UTF-8 before they parse it.
  const filePage = isUtf8(bytes) && !isAscii(bytes) ? UTF_8 : undefined;

  const findDecoder = (page: number): TextDecoder | undefined => {
    if (decoders.has(page)) return decoders.get(page);
    const charset = resolveCharset(CHARSETS.get(page) ?? `cp${page}`);
    const decoder = charset === undefined ? undefined : new TextDecoder(charset);
    decoders.set(page, decoder);
    return decoder;
  };
  return {
    declare(word, value, font = defaultFont) {
      const page = word === "fcharset" ? FONT_PAGES.get(value) : value;
      if (word === "ansicpg") documentPage = value;
      else if (word === "deff") defaultFont = value;
      else if (word === "fcharset" || word === "cpg") fonts.set(font, page ?? documentPage);
      else documentPage = DOCUMENT_PAGES.get(word) ?? documentPage;
    },
    decode(letters, font = defaultFont) {
      const page = fonts.get(font) ?? documentPage;
      hasUnknownLetters ||= SEVEN_BITS.has(page) || SEVEN_BITS.has(documentPage);
      if (!BEYOND_ASCII.test(letters)) return [letters, letters];
      const coded = Buffer.from(letters, "latin1");
      const decoder = findDecoder(page);
      hasUnknownLetters ||= !decoder;
      const text = (decoder ?? WINDOWS).decode(coded);
      const otherPage = filePage ?? documentPage;
      const other = otherPage === WESTERN ? text : findDecoder(otherPage)?.decode(coded);
      return [text, other === undefined || other.includes("\ufffd") ? text : other];
    },
    toLetter(number) {
      const unit = number & 0xffff;
      const isSymbol = unit >= SYMBOLS + 0x20 && unit <= SYMBOLS + 0xff;
      return isSymbol ? WINDOWS.decode(Uint8Array.of(unit - SYMBOLS)) : String.fromCharCode(unit);
    },
    hasUnknownLetters: () => hasUnknownLetters,
  };
}

const BEYOND_ASCII = /[\x80-\xff]/;
const WESTERN = 1252;
const UTF_8 = 65001;
const WINDOWS = new TextDecoder("windows-1252");
/** Bytes of symbol fonts, such as bullets, are written as letters from here on. */
const SYMBOLS = 0xf000;
/** UTF-7, ISO-2022 and HZ write other letters in ASCII. */
const SEVEN_BITS = new Set([65000, 50220, 50221, 50222, 50225, 50227, 52936]);

/** Code pages whose charset has another name than `cp` and the number. */
const CHARSETS: ReadonlyMap<number, string> = new Map([
  [0, "windows-1252"],
  [874, "windows-874"],
  [932, "shift_jis"],
  [936, "gbk"],
  [949, "euc-kr"],
  [950, "big5"],
  [10000, "macintosh"],
  [10007, "x-mac-cyrillic"],
  [20866, "koi8-r"],
  [21866, "koi8-u"],
  [51932, "euc-jp"],
  [54936, "gb18030"],
  [UTF_8, "utf-8"],
]);

/** Words that declare the code page of the document. */
const DOCUMENT_PAGES: ReadonlyMap<string, number> = new Map([
  ["ansi", WESTERN],
  ["mac", 10000],
  ["pc", 437],
  ["pca", 850],
]);

/** Code pages of the charsets of fonts. Others use that of the document. Fonts of symbols (2) have no letters. */
const FONT_PAGES: ReadonlyMap<number, number> = new Map([
  [0, WESTERN],
  [2, WESTERN],
  [77, 10000],
  [78, 10001],
  [79, 10003],
  [80, 10008],
  [81, 10002],
  [89, 10007],
  [128, 932],
  [129, 949],
  [130, 1361],
  [134, 936],
  [136, 950],
  [161, 1253],
  [162, 1254],
  [163, 1258],
  [177, 1255],
  [178, 1256],
  [186, 1257],
  [204, 1251],
  [222, 874],
  [238, 1250],
  [254, 437],
  [255, 850],
]);
