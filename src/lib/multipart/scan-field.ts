/** Finds the text of one field of a multipart/form-data body, and whether the body is complete (RFC 7578). */
import { isUtf8 } from "node:buffer";
import { canReadAs } from "../text/fold-name.ts";
import { readPartHeaders } from "./part-headers.ts";

export interface FieldScan {
  /** Looks at the next chunk and keeps none of it: the caller sends the same bytes on. */
  push(chunk: Uint8Array): void;
  /** The body is over. A caller that only wanted the value may stop pushing and leave this out. */
  end(): void;
  /** The field's text, known as soon as its part is over. */
  readonly value: string | undefined;
  /** Byte ranges of the field's text in the body: several when the field is repeated. */
  readonly ranges: readonly { from: number; to: number }[];
  /** Why the form is rejected: a clause for "The form is malformed: …". Final once it is set. */
  readonly problem: string | undefined;
  /** Where the closing delimiter starts; undefined until it is seen. No field can follow it. */
  readonly closes_at: number | undefined;
}

export interface WantedField {
  name: string;
  /** Fields that make the form invalid, also as an index (`a[0][name]`), in lower case. */
  forbidden?: readonly string[];
}

const MAX_PARTS = 1000;
const MAX_HEADERS = 16 * 1024;
const MAX_VALUE = 4 * 1024;
const MAX_PADDING = 256;

/**
 * Finds the field at any position, for any cut of the body into chunks. Stricter than the RFC where
 * an upstream might see other parts than we do: a second `model` hidden from us would pass the allow-list.
 */
export function createFieldScan(
  boundary: string,
  { name: field, forbidden = [] }: WantedField,
): FieldScan {
  const lineFeed = Buffer.from(`\n--${boundary}`);
  const carriageReturn = Buffer.from(`\r--${boundary}`);
  let state: "seek" | "delimiter" | "headers" | "field" | "closed" | "refused" = "seek";
  let parts = 0;
  /** Whether the delimiters are followed by spaces: all of them, or none. */
  let padded = false;
  /** Bytes of earlier chunks. */
  let pushed = 0;
  /** Where the current state began. */
  let entered = 0;
  let value: string | undefined;
  const ranges: { from: number; to: number }[] = [];
  let closes_at: number | undefined;
  let problem: string | undefined;
  // What the current state still needs of earlier chunks. The line break that starts a body or ends
  // headers is part of the delimiter that may follow at once, so every search begins with one.
  let held: Buffer = CRLF;

  const steps = { seek, delimiter, headers, field: readField, closed };

  return {
    push(chunk) {
      let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      while (rest.length > 0 && state !== "refused") {
        const before = state;
        rest = steps[state](rest);
        if (state !== before) entered = pushed + chunk.length - rest.length;
      }
      pushed += chunk.length;
    },
    end() {
      if (state !== "closed") refuse("it ends before its closing delimiter");
    },
    get value() {
      return value;
    },
    ranges,
    get problem() {
      return problem;
    },
    get closes_at() {
      return closes_at;
    },
  };

  /** Passes over content that nobody asked for. Only a delimiter's length is copied, at the seam. */
  function seek(rest: Buffer): Buffer {
    const seam = Buffer.concat([held, rest.subarray(0, lineFeed.length)]);
    const inSeam = findDelimiter(seam);
    if (inSeam >= 0)
      return enter("delimiter", rest.subarray(inSeam + lineFeed.length - held.length));

    const at = findDelimiter(rest);
    if (at >= 0) return enter("delimiter", rest.subarray(at + lineFeed.length));

    const last = rest.length > lineFeed.length ? rest : seam;
    held = Buffer.from(last.subarray(-lineFeed.length));
    return NOTHING;
  }

  /** After `--boundary`: a line break opens a part, two dashes close the body. */
  function delimiter(rest: Buffer): Buffer {
    held = Buffer.concat([held, rest.subarray(0, 1)]);
    const left = rest.subarray(1);
    const line = held.toString("latin1");
    if (line === "--") {
      closes_at = entered - (lineFeed.length - 1);
      return enter("closed", left);
    }
    if (line === "-" || (line.length < MAX_PADDING && /^[ \t]*\r?$/.test(line))) return left;
    if (!/^[ \t]*\r\n$/.test(line)) return refuse("a delimiter line holds more than the boundary");
    // A parser that does not know padding (RFC 2046 section 5.1.1) would see fewer parts than we do.
    const pads = line.length > CRLF.length;
    if (parts > 0 && pads !== padded) return refuse("only some of its delimiters are padded");
    padded = pads;
    parts++;
    if (parts > MAX_PARTS) return refuse(`it has more than ${MAX_PARTS} parts`);
    return enter("headers", left);
  }

  /** PHP reads on behind the closing delimiter, to the next one. No client sends anything there. */
  function closed(rest: Buffer): Buffer {
    return rest.every(isBlank) ? NOTHING : refuse("text follows its closing delimiter");
  }

  function headers(rest: Buffer): Buffer {
    const taken = rest.subarray(0, STRETCH);
    held = Buffer.concat([held, taken]);
    const end = held.indexOf(BLANK_LINE);
    const length = (end < 0 ? held.length - BLANK_LINE.length : end) - CRLF.length;
    if (length > MAX_HEADERS) {
      return refuse(`the headers of a part are longer than ${MAX_HEADERS} bytes`);
    }
    if (end < 0) return rest.subarray(taken.length);

    const left = rest.subarray(taken.length - (held.length - end - BLANK_LINE.length));
    const block = held.subarray(0, end);
    const part = block.includes(lineFeed)
      ? undefined
      : readPartHeaders(block.toString("utf8", CRLF.length));
    if (!part) return refuse("the headers of a part name no field, or not clearly");
    if (part.name !== field) {
      const { name } = part;
      if (canReadAs(name, field)) return refuse(`a field may be read as ${field}: rename it`);
      const words = name.split(/[[\].]/);
      const banned = forbidden.find((each) => words.some((word) => canReadAs(word, each)));
      if (banned !== undefined) return refuse(`the field ${banned} is not supported here`);
      return enter("seek", left);
    }
    if (part.file) return refuse(`its field ${field} is a file`);
    if (part.other_charset) return refuse(`its field ${field} is not in UTF-8`);
    return enter("field", left);
  }

  function readField(rest: Buffer): Buffer {
    const taken = rest.subarray(0, STRETCH);
    held = Buffer.concat([held, taken]);
    const at = findDelimiter(held);
    const length = (at < 0 ? held.length - lineFeed.length : at - 1) - CRLF.length;
    if (length > MAX_VALUE) return refuse(`its field ${field} is longer than ${MAX_VALUE} bytes`);
    if (at < 0) return rest.subarray(taken.length);

    const text = held.subarray(CRLF.length, CRLF.length + Math.max(length, 0));
    if (!isUtf8(text)) return refuse(`its field ${field} is not valid UTF-8`);
    const found = text.toString();
    if (value !== undefined && value !== found) return refuse(`it has the field ${field} twice`);
    value = found;
    ranges.push({ from: entered, to: entered + text.length });
    return enter("delimiter", rest.subarray(taken.length - (held.length - at - lineFeed.length)));
  }

  /** Position of the line feed of the next `\r\n--boundary`, or -1. The byte at 0 is context only. */
  function findDelimiter(bytes: Buffer): number {
    const at = bytes.indexOf(lineFeed, 1);
    const before = at < 0 ? bytes : bytes.subarray(0, at);
    // Some parsers end a line at a bare line feed or carriage return: they would see a part here.
    if (before.includes(carriageReturn) || (at > 0 && bytes[at - 1] !== 0x0d)) {
      refuse("a delimiter does not stand behind CRLF");
      return -1;
    }
    return at;
  }

  function enter(next: typeof state, left: Buffer): Buffer {
    if (problem !== undefined) return NOTHING;
    state = next;
    held = next === "delimiter" ? NOTHING : CRLF;
    return left;
  }

  function refuse(why: string): Buffer {
    problem ??= why;
    state = "refused";
    return NOTHING;
  }
}

const isBlank = (byte: number): boolean =>
  byte === 0x0d || byte === 0x0a || byte === 0x20 || byte === 0x09;

const NOTHING = Buffer.alloc(0);
const CRLF = Buffer.from("\r\n");
const BLANK_LINE = Buffer.from("\r\n\r\n");
/** Headers and values are read in pieces, so that little of what follows them is copied. */
const STRETCH = 1024;
