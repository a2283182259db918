/** Splits a multipart/form-data body into parts while it arrives, without holding it (RFC 7578). */
import { viewBytes } from "../view-bytes.ts";
import { type PartHeaders, readPartHeaders } from "./part-headers.ts";

export interface MultipartParser {
  /** Parses the next chunk, and holds no more of it than the length of a delimiter. */
  push(chunk: Uint8Array): void;
  /** Marks the end of the body. A caller that needs no more parts may stop pushing and leave this out. */
  end(): void;
  /** Rejects the body. Nothing more of it is parsed; the first reason is recorded. */
  reject(reason: string): void;
  /** Why the body is rejected: a clause for "The form is malformed: …". Final once it is set. */
  readonly problem: string | undefined;
  /** Offset of the closing delimiter; undefined until it is found. No part can follow it. */
  readonly closes_at: number | undefined;
}

/** Receives the content of one part. */
export interface PartSink {
  /** A piece is valid only during the call. */
  onContent(piece: Buffer): void;
  onEnd(): void;
}

/** Called for each part with the offset of its content. Returns undefined to skip the content. */
export type OnPart = (headers: PartHeaders, offset: number) => PartSink | undefined;

const MAX_PARTS = 1000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_PADDING = 256;

/**
 * Finds the same parts for any division of the body into chunks. Stricter than the RFC where an upstream might
 * find other parts than we do: a second `model` that is hidden from us would pass the allowlist.
 */
export function createMultipartParser(boundary: string, onPart: OnPart): MultipartParser {
  const lineFeed = Buffer.from(`\n--${boundary}`);
  const carriageReturn = Buffer.from(`\r--${boundary}`);
  let state: "content" | "delimiter" | "headers" | "closed" | "rejected" = "content";
  let parts = 0;
  /** Whether the delimiters are followed by spaces: all of them, or none. */
  let padded = false;
  /** Offset of the end of the current chunk. */
  let pushed = 0;
  /** Offset at which the current state began. */
  let entered = 0;
  let closes_at: number | undefined;
  let problem: string | undefined;
  // Django parses a preamble as a part, and Werkzeug finds a delimiter in the middle of its lines.
  let sink: PartSink | undefined = {
    onContent(piece) {
      if (!piece.every(isBlank)) reject("text precedes its first delimiter");
    },
    onEnd() {},
  };
  // Bytes of earlier chunks that the current state still needs. The line break that starts a body or ends
  // headers is part of the delimiter that may follow at once, so every search begins with one.
  let held: Buffer = CRLF;
  /** Number of held bytes that belong to the headers and not to the content. */
  let context = CRLF.length;

  const steps = { content, delimiter, headers, closed };

  return {
    push(chunk) {
      let rest = viewBytes(chunk);
      pushed += chunk.length;
      while (rest.length > 0 && state !== "rejected") {
        const before = state;
        rest = steps[state](rest);
        if (state !== before) entered = pushed - rest.length;
      }
    },
    end() {
      if (state !== "closed") reject("it ends before its closing delimiter");
    },
    reject,
    get problem() {
      return problem;
    },
    get closes_at() {
      return closes_at;
    },
  };

  /** Reads the preamble or the content of a part. Copies only a delimiter's length, at the seam. */
  function content(rest: Buffer): Buffer {
    const seam = Buffer.concat([held, rest.subarray(0, lineFeed.length)]);
    const inSeam = findDelimiter(seam);
    const inRest = inSeam < 0 ? findDelimiter(rest) : -1;
    if (problem !== undefined) return NOTHING;
    const at = inRest < 0 ? inSeam : held.length + inRest;
    if (at >= 0) {
      if (sink) passOn(sink, rest, at - 1);
      if (problem === undefined) sink?.onEnd();
      return enter("delimiter", rest.subarray(at + lineFeed.length - held.length));
    }
    // The rest may be the start of a delimiter.
    const known = Math.max(0, held.length + rest.length - lineFeed.length);
    if (sink) passOn(sink, rest, known);
    held = Buffer.from((rest.length > lineFeed.length ? rest : seam).subarray(-lineFeed.length));
    context = Math.max(0, context - known);
    return NOTHING;
  }

  /** Passes on the content up to `end`, which counts from the first held byte. */
  function passOn(to: PartSink, rest: Buffer, end: number): void {
    const early = held.subarray(context, Math.max(context, end));
    if (early.length > 0) to.onContent(early);
    const late = rest.subarray(0, Math.max(0, end - held.length));
    if (late.length > 0) to.onContent(late);
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
    if (!/^[ \t]*\r\n$/.test(line)) return reject("a delimiter line holds more than the boundary");
    // A parser that does not know padding (RFC 2046 section 5.1.1) would find fewer parts than we do.
    const pads = line.length > CRLF.length;
    if (parts > 0 && pads !== padded) return reject("only some of its delimiters are padded");
    padded = pads;
    parts++;
    if (parts > MAX_PARTS) return reject(`it has more than ${MAX_PARTS} parts`);
    return enter("headers", left);
  }

  /** PHP continues after the closing delimiter, up to the next one. No client sends anything there. */
  function closed(rest: Buffer): Buffer {
    return rest.every(isBlank) ? NOTHING : reject("text follows its closing delimiter");
  }

  function headers(rest: Buffer): Buffer {
    const taken = rest.subarray(0, HEADER_STEP);
    held = Buffer.concat([held, taken]);
    const end = held.indexOf(BLANK_LINE);
    const length = (end < 0 ? held.length - BLANK_LINE.length : end) - CRLF.length;
    if (length > MAX_HEADER_BYTES) {
      return reject(`the headers of a part are longer than ${MAX_HEADER_BYTES} bytes`);
    }
    if (end < 0) return rest.subarray(taken.length);

    const left = rest.subarray(taken.length - (held.length - end - BLANK_LINE.length));
    const block = held.subarray(0, end);
    const part = block.includes(lineFeed)
      ? undefined
      : readPartHeaders(block.toString("utf8", CRLF.length));
    if (!part) return reject("the headers of a part name no field, or are ambiguous");
    sink = onPart(part, pushed - left.length);
    return enter("content", left);
  }

  /** Returns the offset of the line feed of the next `\r\n--boundary`, or -1. The byte at 0 is context only. */
  function findDelimiter(bytes: Buffer): number {
    const at = bytes.indexOf(lineFeed, 1);
    const before = at < 0 ? bytes : bytes.subarray(0, at);
    // Some parsers end a line at a bare line feed or carriage return: they would find a part here.
    if (before.includes(carriageReturn) || (at > 0 && bytes[at - 1] !== 0x0d)) {
      reject("a delimiter does not follow CRLF");
      return -1;
    }
    return at;
  }

  function enter(next: typeof state, left: Buffer): Buffer {
    if (problem !== undefined) return NOTHING;
    state = next;
    held = next === "delimiter" ? NOTHING : CRLF;
    context = CRLF.length;
    return left;
  }

  function reject(reason: string): Buffer {
    problem ??= reason;
    state = "rejected";
    return NOTHING;
  }
}

const isBlank = (byte: number): boolean =>
  byte === 0x0d || byte === 0x0a || byte === 0x20 || byte === 0x09;

const NOTHING = Buffer.alloc(0);
const CRLF = Buffer.from("\r\n");
const BLANK_LINE = Buffer.from("\r\n\r\n");
/** Headers are read in steps, so that little of the content that follows is copied. */
const HEADER_STEP = 1024;
