/** What text does one field of a multipart/form-data body hold, and is the body whole? (RFC 7578) */
import { isUtf8 } from "node:buffer";
import { partName } from "./part-name.ts";

export interface MultipartScan {
  /** Looks at the next chunk and keeps none of it: the caller sends the same bytes on. */
  push(chunk: Uint8Array): void;
  /** The body is over. A caller that only wanted the value may stop pushing and leave this out. */
  end(): void;
  /** The field's text, known as soon as its part is over. */
  readonly value: string | undefined;
  /** Why the form is refused: a clause for "The form is malformed: …". Final once it is set. */
  readonly problem: string | undefined;
  /** The closing delimiter was seen: no field can come any more. */
  readonly closed: boolean;
}

const MAX_PARTS = 1000;
const MAX_HEADERS = 16 * 1024;
const MAX_VALUE = 4 * 1024;

/**
 * Finds `field` wherever it stands, for any cut of the body into chunks. Stricter than the RFC where
 * an upstream might see other parts than we do: a second `model` hidden from us would pass the allow list.
 */
export function createMultipartScan(boundary: string, field: string): MultipartScan {
  const lineFeed = Buffer.from(`\n--${boundary}`);
  const carriageReturn = Buffer.from(`\r--${boundary}`);
  let state: "seek" | "delimiter" | "headers" | "field" | "closed" | "refused" = "seek";
  let parts = 0;
  let value: string | undefined;
  let problem: string | undefined;
  // What the current state still needs of earlier chunks. The line break that starts a body or ends
  // headers is part of the delimiter that may follow at once, so every search begins with one.
  let held: Buffer = CRLF;

  const steps = { seek, delimiter, headers, field: readField };

  return {
    push(chunk) {
      let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      while (rest.length > 0 && state !== "closed" && state !== "refused") {
        rest = steps[state](rest);
      }
    },
    end() {
      if (state !== "closed") refuse("it ends before its closing delimiter");
    },
    get value() {
      return value;
    },
    get problem() {
      return problem;
    },
    get closed() {
      return state === "closed";
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

  /** Behind `--boundary`: a line break opens a part, two dashes close the body. */
  function delimiter(rest: Buffer): Buffer {
    const taken = rest.subarray(0, 2 - held.length);
    held = Buffer.concat([held, taken]);
    const left = rest.subarray(taken.length);
    if (held.length < 2) return left;
    if (held.equals(DASHES)) return enter("closed", left);
    if (!held.equals(CRLF)) return refuse("a delimiter line holds more than the boundary");
    parts++;
    if (parts > MAX_PARTS) return refuse(`it has more than ${MAX_PARTS} parts`);
    return enter("headers", left);
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
      : partName(block.toString("utf8", CRLF.length));
    if (!part) return refuse("the headers of a part name no field, or not clearly");
    if (part.name !== field) return enter("seek", left);
    if (value !== undefined) return refuse(`it has the field ${field} twice`);
    if (part.file) return refuse(`its field ${field} is a file`);
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
    value = text.toString();
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

/** The boundary of a multipart/form-data content type; undefined when it has none, or no clear one. */
export function boundaryOf(contentType: string | null | undefined): string | undefined {
  const [, parameters] = /^multipart\/form-data[ \t]*(;.*)$/i.exec(contentType?.trim() ?? "") ?? [];
  if (!parameters) return undefined;
  const boundaries = [...parameters.matchAll(PARAMETER)].filter(
    ([, name]) => name?.toLowerCase() === "boundary",
  );
  const [, , quoted, bare] = boundaries[0] ?? [];
  const boundary = quoted ?? bare ?? "";
  // Two boundaries, or something we cannot read, would let the upstream split the body elsewhere.
  const clear = boundaries.length === 1 && /^[; \t]*$/.test(parameters.replace(PARAMETER, ""));
  return clear && BOUNDARY.test(boundary) ? boundary : undefined;
}

const NOTHING = Buffer.alloc(0);
const CRLF = Buffer.from("\r\n");
const BLANK_LINE = Buffer.from("\r\n\r\n");
const DASHES = Buffer.from("--");
/** Headers and values are read in pieces, so that little of what follows them is copied. */
const STRETCH = 1024;

const PARAMETER = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([^\s";]+))[ \t]*/g;
/** RFC 2046 section 5.1.1: at most 70 of these characters, and no space at the end. */
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
