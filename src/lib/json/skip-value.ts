/** Where does the JSON value that starts here end, and is it strictly valid (RFC 8259)? */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_BRACKET = 0x5b;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** How many containers may be open at once. */
export const MAX_DEPTH = 1000;
/** What skipValue returns for a value nested deeper than that. */
export const TOO_DEEP = -0x40000000;

// Every function here returns the position behind what it skipped, or ~position of the first byte that
// does not belong: a number costs nothing on the hot path, where a result object or a throw would.

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

    // Behind a value: close what ends here, or step to the next member of what is still open.
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

/** Shared by all calls: skipValue never waits, so no two of them overlap. */
const closers = new Uint8Array(MAX_DEPTH);

export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

/** Skips a string and the colon behind it, up to the value. */
function skipName(bytes: Uint8Array, from: number): number {
  let at = skipString(bytes, from);
  if (at < 0) return at;
  at = skipSpace(bytes, at);
  return bytes[at] === COLON ? skipSpace(bytes, at + 1) : ~at;
}

/** Expects the opening quote at `from`. Takes for granted that the bytes are valid UTF-8. */
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
    // Doubled while it pays: in a text full of escapes the long stretch would be read in vain each time.
    stretch = landed - at < stretch ? LONG : Math.min(stretch * 2, MAX_STRETCH);
    at = landed;
  }
}

const LONG = 1024;
const MAX_STRETCH = 64 * 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not stand in a string
const SPECIAL = /["\\\x00-\x1f]/;

/** Over long texts (pictures in base64) the regex engine is about four times as fast as our loop. */
function jump(bytes: Uint8Array, from: number, stretch: number): number {
  const end = Math.min(from + stretch, bytes.length);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString("latin1");
  const hit = text.search(SPECIAL);
  return hit < 0 ? end : from + hit;
}

/** `from` is behind the backslash. */
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
