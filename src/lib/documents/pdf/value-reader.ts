/** Reads PDF values one by one from an object, a page or a CMap. */
import { viewBytes } from "../../view-bytes.ts";
import { documentProblem } from "../document-problem.ts";

/** Strings contain bytes, one per character. */
export type PdfValue =
  | null
  | boolean
  | number
  | string
  | PdfName
  | PdfRef
  | PdfWord
  | PdfValue[]
  | PdfDict;
export type PdfDict = Map<string, PdfValue>;
export interface PdfName {
  name: string;
}
export interface PdfRef {
  ref: number;
}
/** An operator or keyword. */
export interface PdfWord {
  word: string;
}

export const isName = (value: unknown): value is PdfName => has(value, "name");
export const isRef = (value: unknown): value is PdfRef => has(value, "ref");
export const isWord = (value: unknown): value is PdfWord => has(value, "word");
const has = (value: unknown, key: string) =>
  typeof value === "object" && value !== null && key in value;

export interface PdfReader {
  at: number;
  /** Returns undefined at the end. */
  next: () => PdfValue | undefined;
  /** Number of values in the last one, with itself. */
  readonly items: number;
}

const MAX_DEPTH = 50;
const MAX_ITEMS = 200_000;
const MAX_LENGTH = 256 * 1024;

export function createPdfReader(bytes: Uint8Array, start = 0): PdfReader {
  const source = viewBytes(bytes);
  const slice = (from: number, to: number) => source.toString("latin1", from, to);
  let items = 0;
  const reader: PdfReader = {
    at: start,
    next() {
      items = 0;
      return value(0);
    },
    get items() {
      return items;
    },
  };
  return reader;

  function value(depth: number): PdfValue | undefined {
    if (depth > MAX_DEPTH || ++items > MAX_ITEMS) throw tooLarge();
    skipSpace();
    const byte = source[reader.at];
    if (byte === undefined) return undefined;
    if (byte === SLASH) return { name: name() };
    if (byte === PAREN) return literal();
    if (byte === LESS) return source[reader.at + 1] === LESS ? dict(depth) : hex();
    if (byte === BRACKET) return array(depth);
    if (isNumeric(byte)) return numberOrRef();
    return word();
  }

  function skipSpace() {
    for (;;) {
      const byte = source[reader.at];
      if (byte === PERCENT) {
        while (reader.at < source.length && !isLineEnd(source[reader.at])) reader.at++;
      } else if (byte === undefined || !SPACE[byte]) return;
      else reader.at++;
    }
  }

  function run(from: number): string {
    let end = from;
    for (let byte = source[end]; byte !== undefined && REGULAR[byte]; byte = source[++end]);
    if (end - from > MAX_LENGTH) throw tooLarge();
    reader.at = end;
    return slice(from, end);
  }

  function name(): string {
    const text = run(reader.at + 1);
    return text.includes("#")
      ? text.replace(/#([\da-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
      : text;
  }

  function word(): PdfValue {
    const text = run(reader.at);
    if (text === "") {
      const pair = slice(reader.at, reader.at + 2);
      const found = pair === ">>" ? pair : pair.slice(0, 1);
      reader.at += found.length;
      return { word: found };
    }
    const constant = CONSTANTS.get(text);
    return constant === undefined ? { word: text } : constant;
  }

  function numberOrRef(): PdfValue {
    const text = run(reader.at);
    const number = Number.parseFloat(text);
    // Real files contain `--5`, `.` and `1.2.3`; viewers read what they can.
    if (!/^\d{1,8}$/.test(text)) return Number.isNaN(number) ? 0 : number;
    const after = /^\s{1,4}\d{1,5}\s{1,4}R(?![^\s/<>[\]()%])/.exec(
      slice(reader.at, reader.at + 16),
    );
    if (!after) return number;
    reader.at += after[0].length;
    return { ref: number };
  }

  function array(depth: number): PdfValue[] {
    const found: PdfValue[] = [];
    reader.at++;
    for (;;) {
      const item = value(depth + 1);
      if (item === undefined || (isWord(item) && item.word === "]")) return found;
      found.push(item);
    }
  }

  function dict(depth: number): PdfDict {
    const found: PdfDict = new Map();
    reader.at += 2;
    for (;;) {
      const key = value(depth + 1);
      if (key === undefined || (isWord(key) && key.word === ">>")) return found;
      if (!isName(key)) continue;
      const item = value(depth + 1);
      if (item === undefined || (isWord(item) && item.word === ">>")) return found;
      found.set(key.name, item);
    }
  }

  function hex(): string {
    const close = source.indexOf(">", reader.at, "latin1");
    const end = close < 0 ? source.length : close;
    if (end - reader.at > MAX_LENGTH) throw tooLarge();
    const digits = slice(reader.at + 1, end).replace(/[^\da-f]/gi, "");
    reader.at = end + 1;
    return Buffer.from(digits.length % 2 ? `${digits}0` : digits, "hex").toString("latin1");
  }

  function literal(): string {
    let text = "";
    let open = 1;
    let from = ++reader.at;
    const maxEnd = reader.at + MAX_LENGTH;
    for (; reader.at < source.length; reader.at++) {
      if (reader.at > maxEnd) throw tooLarge();
      const byte = source[reader.at];
      if (byte === PAREN) open++;
      else if (byte === CLOSE && --open === 0) break;
      else if (byte === BACKSLASH) {
        text += slice(from, reader.at);
        text += escaped();
        from = reader.at + 1;
      }
    }
    text += slice(from, reader.at++);
    return text;
  }

  /** Sets `at` to the last byte of the escape. */
  function escaped(): string {
    const [octal] = /^[0-7]{1,3}/.exec(slice(reader.at + 1, reader.at + 4)) ?? [];
    if (octal !== undefined) {
      reader.at += octal.length;
      return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    }
    const letter = slice(reader.at + 1, reader.at + 2);
    reader.at++;
    if (letter === "\r" && source[reader.at + 1] === 0x0a) reader.at++;
    if (letter === "\r" || letter === "\n") return "";
    return ESCAPES[letter] ?? letter;
  }
}

const tooLarge = () =>
  documentProblem("The PDF nests its objects too deeply, or one is too large.");

const [SLASH, PAREN, CLOSE, LESS, BRACKET, PERCENT, BACKSLASH] = Buffer.from("/()<[%\\");
const CONSTANTS = new Map([
  ["null", null],
  ["true", true],
  ["false", false],
]);
const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };
const SPACE = byteSet("\0\t\n\f\r ");
const REGULAR = byteSet("\0\t\n\f\r ()<>[]{}/%").map((yes) => 1 - yes);
const NUMERIC = byteSet("0123456789+-.");
const isNumeric = (byte: number) => NUMERIC[byte] === 1;
const isLineEnd = (byte: number | undefined) => byte === 0x0a || byte === 0x0d;

function byteSet(characters: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const byte of Buffer.from(characters, "latin1")) set[byte] = 1;
  return set;
}
