/** Locates values in JSON text, and applies edits to it. */
import { BACKSLASH, CLOSE_BRACE, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./skip-value.ts";

// Every function here expects valid JSON, nested no deeper than parseStrict accepts. `at` is the offset of a
// value; the result is the offset after it.

/** `visit` returns the end of the member's value. `slot` is the offset after the brace or comma before the name. */
export function eachMember(
  text: string,
  at: number,
  visit: (name: string, value: number, slot: number) => number,
): number {
  let slot = at + 1;
  let next = skipBlank(text, slot);
  if (text.charCodeAt(next) === CLOSE_BRACE) return next + 1;
  for (;;) {
    const nameEnd = findStringEnd(text, next);
    const value = skipBlank(text, skipBlank(text, nameEnd) + 1);
    next = skipBlank(text, visit(nameAt(text, next, nameEnd), value, slot));
    if (text.charCodeAt(next) === CLOSE_BRACE) return next + 1;
    slot = next + 1;
    next = skipBlank(text, slot);
  }
}

/** `visit` returns the end of the item. */
export function eachItem(
  text: string,
  at: number,
  visit: (index: number, value: number) => number,
): number {
  let next = skipBlank(text, at + 1);
  if (text.charCodeAt(next) === CLOSE_BRACKET) return next + 1;
  for (let index = 0; ; index++) {
    next = skipBlank(text, visit(index, next));
    if (text.charCodeAt(next) === CLOSE_BRACKET) return next + 1;
    next = skipBlank(text, next + 1);
  }
}

export function findValueEnd(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return findStringEnd(text, at);
  let end = at;
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) {
    while (isPlain(text.charCodeAt(end))) end++;
    return end;
  }
  let depth = 0;
  do {
    const code = text.charCodeAt(end);
    if (code === QUOTE) {
      end = findStringEnd(text, end);
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    end++;
  } while (depth > 0);
  return end;
}

/** `at` is the opening quote. Returns the end of the text for a string without an end. */
export function findStringEnd(text: string, at: number): number {
  // Names are short: up to about this length a loop is faster than a native call.
  const near = Math.min(at + 24, text.length);
  let close = at + 1;
  while (close < near && text.charCodeAt(close) !== QUOTE && text.charCodeAt(close) !== BACKSLASH) {
    close++;
  }
  if (text.charCodeAt(close) === QUOTE) return close + 1;
  for (;;) {
    close = text.indexOf('"', close);
    if (close < 0) return text.length;
    let before = close - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    close++;
    // An odd number of backslashes escapes the quote. The opening quote ends every run of them.
    if ((close - before) % 2 === 0) return close;
  }
}

/** Returns the ranges of all numbers, in order. */
export function findNumbers(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = findStringEnd(text, at);
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = findValueEnd(text, at);
      found.push({ start: at, end });
      at = end;
    } else at++;
  }
  return found;
}

const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Returns the JSON text without the white space between its tokens. */
export function compactJson(text: string): string {
  const pieces: string[] = [];
  for (let at = skipBlank(text, 0); at < text.length; at = skipBlank(text, at)) {
    const start = at;
    while (at < text.length && !isBlank(text.charCodeAt(at))) {
      at = text.charCodeAt(at) === QUOTE ? findStringEnd(text, at) : at + 1;
    }
    pieces.push(text.slice(start, at));
  }
  return pieces.join("");
}

/** Returns the text of each member of the object at `at`, by name. */
export function readMemberTexts(text: string, at: number): Map<string, string> {
  const found = new Map<string, string>();
  eachMember(text, at, (name, value) => {
    const end = findValueEnd(text, value);
    found.set(name, text.slice(value, end));
    return end;
  });
  return found;
}

export interface TextEdit {
  from: number;
  to: number;
  put: string;
}

/** Edits may be in any order, but must not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const pieces: string[] = [];
  let copied = 0;
  for (const { from, to, put } of edits.toSorted((one, other) => one.from - other.from)) {
    pieces.push(text.slice(copied, from), put);
    copied = to;
  }
  pieces.push(text.slice(copied));
  return pieces.join("");
}

export const CLOSE_BRACKET = 0x5d;

export function skipBlank(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

const isBlank = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Returns whether the code is part of a number or a literal; false for NaN, the end of the text. */
const isPlain = (code: number) =>
  code > 0x20 && code !== COMMA && code !== CLOSE_BRACE && code !== CLOSE_BRACKET;

function nameAt(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end - 1);
  return name.includes("\\") ? JSON.parse(text.slice(start, end)) : name;
}
