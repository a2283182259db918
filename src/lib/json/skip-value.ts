/** Finds the end of a JSON value in bytes, and validates it strictly (RFC 8259). */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_BRACKET = 0x5b;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** Maximum nesting of objects and arrays. */
export const MAX_DEPTH = 1000;
/** Returned by skipValue for a value that is nested deeper. */
export const TOO_DEEP = -0x40000000;

// Every function here returns the offset after what it skipped, or ~offset of the first invalid byte. On the hot
// path a number costs nothing, unlike a result object or a throw.

/** Iterative, so that a hostile depth cannot overflow the stack. */
export function skipValue(bytes: Uint8Array, from: number): number {
  let at = from;
  let depth = 0;
  for (;;) {
    const open = bytes[at];
    if (open === OPEN_BRACE || open === OPEN_BRACKET) {
      if (depth === MAX_DEPTH) return TOO_DEEP;
      const close = open + 2;
      at = skipSpace(bytes, at + 1);
      if (bytes[at] !== close) {
        closers[depth++] = close;
        if (close === CLOSE_BRACE) at = skipName(bytes, at);
        if (at < 0) return at;
        continue;
      }
      at++;
    } else {
      at = skipScalar(bytes, at);
      if (at < 0) return at;
    }

    // After a value: close the containers that end here, or continue with the next member.
    for (;;) {
      if (depth === 0) return at;
      const close = closers[depth - 1];
      at = skipSpace(bytes, at);
      if (bytes[at] === COMMA) {
        at = skipSpace(bytes, at + 1);
        if (close === CLOSE_BRACE) at = skipName(bytes, at);
        if (at < 0) return at;
        break;
      }
      if (bytes[at] !== close) return ~at;
      depth--;
      at++;
    }
  }
}

/** Shared by all calls: skipValue is synchronous, so calls never overlap. */
const closers = new Uint8Array(MAX_DEPTH);

export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

/** Skips a name and its colon, up to the value. */
function skipName(bytes: Uint8Array, from: number): number {
  let at = skipString(bytes, from);
  if (at < 0) return at;
  at = skipSpace(bytes, at);
  return bytes[at] === COLON ? skipSpace(bytes, at + 1) : ~at;
}

/** Expects the opening quote at `from`, and valid UTF-8. */
export function skipString(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== QUOTE) return ~from;
  let at = from + 1;
  let stretch = LONG;
  for (;;) {
    for (const jumpAt = at + LONG; at < jumpAt; ) {
      const byte = bytes[at];
      if (byte === QUOTE) return at + 1;
      if (byte === BACKSLASH) {
        at = skipEscape(bytes, at + 1);
        if (at < 0) return at;
      } else if (byte === undefined || byte < 0x20) {
        return ~at;
      } else {
        at++;
      }
    }
    const landed = jump(bytes, at, stretch);
    // Doubled only while no escape is found: in text full of escapes a long stretch would be wasted.
    stretch = landed - at < stretch ? LONG : Math.min(stretch * 2, MAX_STRETCH);
    at = landed;
  }
}

const LONG = 1024;
const MAX_STRETCH = 64 * 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are invalid in a string
const SPECIAL = /["\\\x00-\x1f]/;

/** In long text (base64 pictures) the regex engine is about four times as fast as our loop. */
function jump(bytes: Uint8Array, from: number, stretch: number): number {
  const end = Math.min(from + stretch, bytes.length);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString("latin1");
  const hit = text.search(SPECIAL);
  return hit < 0 ? end : from + hit;
}

/** `from` is the offset after the backslash. */
function skipEscape(bytes: Uint8Array, from: number): number {
  const letter = bytes[from];
  if (letter !== 0x75)
    return letter !== undefined && SHORT_ESCAPES[letter] === 1 ? from + 1 : ~from;
  for (let at = from + 1; at < from + 5; at++) {
    if (!isHex(bytes[at])) return ~at;
  }
  return from + 5;
}

/** By character code: 1 for the letters of a short escape. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const letter of Buffer.from('"\\/bfnrt')) SHORT_ESCAPES[letter] = 1;

function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function skipScalar(bytes: Uint8Array, from: number): number {
  switch (bytes[from]) {
    case QUOTE:
      return skipString(bytes, from);
    case 0x74:
      return skipWord(bytes, from, "true");
    case 0x66:
      return skipWord(bytes, from, "false");
    case 0x6e:
      return skipWord(bytes, from, "null");
    default:
      return skipNumber(bytes, from);
  }
}

function skipWord(bytes: Uint8Array, from: number, word: string): number {
  for (let i = 1; i < word.length; i++) {
    if (bytes[from + i] !== word.charCodeAt(i)) return ~(from + i);
  }
  return from + word.length;
}

function skipNumber(bytes: Uint8Array, from: number): number {
  let at = bytes[from] === 0x2d ? from + 1 : from;
  at = bytes[at] === 0x30 ? at + 1 : skipDigits(bytes, at); // no digit may follow a leading zero
  if (at >= 0 && bytes[at] === 0x2e) at = skipDigits(bytes, at + 1);
  if (at >= 0 && (bytes[at] === 0x65 || bytes[at] === 0x45)) {
    const signed = bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d;
    at = skipDigits(bytes, signed ? at + 2 : at + 1);
  }
  return at;
}

function skipDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isDigit(bytes[at])) at++;
  return at === from ? ~at : at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
