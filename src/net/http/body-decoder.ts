/** Decodes a response body from the chunks of a connection. */
import { latin1 } from "../../lib/text/latin1.ts";
import type { Framing } from "./read-header-block.ts";

export interface BodyDecoder {
  /** Passes the body bytes in `chunk` to `take`, as one view of it. Returns false for invalid framing. */
  feed: (chunk: Uint8Array<ArrayBuffer>, take: OnBodyBytes) => boolean;
  /** `surplus`: bytes after the end of the response. */
  state: { done: boolean; surplus: boolean };
}

export type OnBodyBytes = (bytes: Uint8Array<ArrayBuffer>) => void;

export function createBodyDecoder(framing: Framing): BodyDecoder {
  if (framing.kind === "chunked") return createChunkedDecoder();
  return createLengthDecoder(framing.kind === "length" ? framing.length : Number.POSITIVE_INFINITY);
}

function createLengthDecoder(length: number): BodyDecoder {
  const state = { done: length === 0, surplus: false };
  let left = length;
  return {
    state,
    feed(chunk, take) {
      const mine = chunk.length > left ? chunk.subarray(0, left) : chunk;
      if (mine.length > 0) take(mine);
      left -= mine.length;
      state.done = left === 0;
      state.surplus ||= chunk.length > mine.length;
      return true;
    },
  };
}

const CR = 0x0d;
const LF = 0x0a;
/** Maximum length of a chunk-size line with extensions, and of the trailers. */
const MAX_LINE_BYTES = 16 * 1024;
const SIZE_START = /^[0-9a-f]/i;
const MAX_SIZE_DIGITS = 12;
const SIZE = /^([0-9a-f]{1,12})[\t ]*(?:;|$)/i;

function createChunkedDecoder(): BodyDecoder {
  const state = { done: false, surplus: false };
  /** Next expected element: a size line, data, the line end after the data, or trailers. */
  let next: "size" | "bytes" | "end" | "trailer" = "size";
  let left = 0;
  let line = "";
  let trailers = 0;

  /** Handles a complete line. Returns false if it is invalid. */
  function onLine(): boolean {
    const text = line;
    line = "";
    if (next === "end") {
      next = "size";
      return text === "";
    }
    if (next === "trailer") {
      trailers += text.length;
      state.done = text === "";
      return trailers <= MAX_LINE_BYTES;
    }
    const [, size] = SIZE.exec(text) ?? [];
    if (size === undefined) return false;
    left = Number.parseInt(size, 16);
    next = left === 0 ? "trailer" : "bytes";
    return true;
  }

  /** Skips a size or an empty line that is complete in the chunk, without a string. Returns the same index for any other. */
  function skipShortLine(chunk: Uint8Array, start: number): number {
    let at = start;
    let size = 0;
    if (next === "size") {
      for (let digit = readHex(chunk[at]); digit >= 0; digit = readHex(chunk[at])) {
        size = size * 16 + digit;
        at += 1;
      }
      if (at === start || at - start > MAX_SIZE_DIGITS) return start;
    }
    if (chunk[at] !== CR || chunk[at + 1] !== LF) return start;
    if (next === "size") {
      left = size;
      next = left === 0 ? "trailer" : "bytes";
    } else onLine();
    return at + 2;
  }

  /** A view of each data chunk would take 100 bytes of memory, also where the data is one byte. */
  function feed(chunk: Uint8Array<ArrayBuffer>, take: OnBodyBytes): boolean {
    const body = { start: 0, end: 0 };
    const isValid = decode(chunk, body);
    if (body.end > 0) take(chunk.subarray(body.start, body.end));
    return isValid;
  }

  /** Joins the data in `chunk` in place, and sets `body` to its location. */
  function decode(chunk: Uint8Array, body: { start: number; end: number }): boolean {
    let at = 0;
    while (at < chunk.length && !state.done) {
      if (next === "bytes") {
        const stop = Math.min(chunk.length, at + left);
        if (body.end === 0) body.start = body.end = at;
        if (body.end < at) chunk.copyWithin(body.end, at, stop);
        body.end += stop - at;
        left -= stop - at;
        at = stop;
        if (left === 0) next = "end";
        continue;
      }
      const after = line === "" ? skipShortLine(chunk, at) : at;
      if (after > at) {
        at = after;
        continue;
      }
      const stop = chunk.indexOf(LF, at);
      line += latin1(chunk, at, stop < 0 ? chunk.length : stop);
      if (line.length > MAX_LINE_BYTES) return false;
      if (stop < 0) return next !== "size" || SIZE_START.test(line);
      at = stop + 1;
      if (line.charCodeAt(line.length - 1) !== CR) return false;
      line = line.slice(0, -1);
      if (line.includes("\r") || !onLine()) return false;
    }
    state.surplus = at < chunk.length;
    return true;
  }
  return { state, feed };
}

/** Returns the value of a hexadecimal digit, or -1. */
function readHex(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20; // lower case
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
