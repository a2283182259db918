/** Folds the spellings of a name that a lenient parser may treat as equal: case, width and letter style. */

/** Returns the lower-case ASCII character that the code point is a variant of, or the code point itself. */
export function foldCodePoint(code: number): number {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
  variants ??= findVariants();
  return variants.get(code) ?? code;
}

/** Compares the UTF-8 length with the UTF-16 length: twenty times as fast as a regular expression. */
export const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/**
 * Returns the end of a name, which parsers in C end before a NUL. Bounds the time to compare it: a body may consist of
 * one name, but no upstream reads a longer one.
 */
export const readNameEnd = (name: string): string =>
  (name.includes("\0") ? name.slice(0, name.indexOf("\0")) : name).slice(-MAX_NAME_CHARACTERS);
const MAX_NAME_CHARACTERS = 64;

/** Folds the end of a name. Native functions are ten times as fast as folding each code point. */
export function foldName(name: string): string {
  const end = readNameEnd(name);
  return isAscii(end) ? end.toLowerCase() : end.normalize("NFKC").toUpperCase().toLowerCase();
}

/** Returns whether a lenient parser may read `name` as `plain`. Stops at the first character that differs. */
export function isSpellingOf(name: string, plain: string): boolean {
  const end = readNameEnd(name);
  let at = 0;
  for (const expected of plain) {
    const code = end.codePointAt(at);
    if (code === undefined || foldCodePoint(code) !== expected.codePointAt(0)) return false;
    at += code > 0xffff ? 2 : 1;
  }
  return at === end.length;
}

/**
 * Returns whether a form or query parser may read `name` as `plain`. Also ignores percent-escapes,
 * quotes, spaces, a bracketed index (`model[]`) and what follows a NUL, where PHP ends the name.
 */
export const canReadAs = (name: string, plain: string): boolean => foldFieldName(name) === plain;

function foldFieldName(name: string): string {
  const [base = ""] = unescapeName(name).split(/[[\0]/);
  return foldName(base).replace(/\W/g, "");
}

/** Returns the folded names of a field and of each index, each once, and all without numbers: `files_id` for `files[0][id]`. */
export function foldFieldNames(name: string): string[] {
  const parts = Array.from(new Set(unescapeName(name).split(/[[\].]/)), foldFieldName);
  return [...parts, parts.filter((part) => /\D/.test(part)).join("_")];
}

/** Built on first use: few names contain anything but ASCII. */
let variants: ReadonlyMap<number, number> | undefined;

/** Latin to enclosed letters, full width, mathematical letters, squared letters. */
const RANGES = [
  [0x80, 0x2fff],
  [0xff00, 0xffef],
  [0x1d400, 0x1d7ff],
  [0x1f100, 0x1f1ff],
] as const;

/** Includes what Go's encoding/json folds: the Kelvin sign (k) and the long s (s). */
function findVariants(): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const [first, last] of RANGES) {
    for (let code = first; code <= last; code++) {
      const folded = String.fromCodePoint(code).normalize("NFKC").toUpperCase().toLowerCase();
      if (folded.length === 1 && folded.charCodeAt(0) < 0x80) found.set(code, folded.charCodeAt(0));
    }
  }
  return found;
}

/** Decodes each run of escapes alone, as lenient parsers do, so that an invalid one does not hide the others. */
export const unescapeName = (name: string): string =>
  name.replace(/(?:%[\da-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll("%", ""), "hex").toString(),
  );
