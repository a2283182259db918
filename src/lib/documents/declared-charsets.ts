/** Finds the charsets that a content type declares, or text for itself: in headers of a mail, in a page and in XML. */

/** Returns the name of the charset's decoder; undefined if there is none. */
export function resolveCharset(name: string): string | undefined {
  // Python writes `euc_jp`.
  for (const label of new Set([name, name.replaceAll("_", "-")])) {
    try {
      return new TextDecoder(label).encoding;
    } catch {
      // The text is still read.
    }
  }
  return undefined;
}

/** The decoder of Latin-1 and of ASCII. */
export const LATIN_1 = "windows-1252";
const ASCII = /ascii|ansi_x3/i;

export const isLatin1 = (name: string): boolean =>
  resolveCharset(name) === LATIN_1 && !ASCII.test(name);

/** Returns the first charset that is not detected by its bytes, as UTF-8 and UTF-16 are, and not Latin-1. */
export const findOther = (names: readonly string[]): string | undefined =>
  names.map(resolveCharset).find((known) => isOther(known) && !known?.startsWith("utf-"));

/** Returns whether charsets read different letters in the same bytes. UTF-8 and Latin-1 read the same ASCII. */
export function areDifferent(names: readonly string[]): boolean {
  const other = findOther(names);
  return (
    other !== undefined &&
    names.some((name) => {
      const known = resolveCharset(name);
      return known !== undefined && known !== other && !isUtf16(known) && !ASCII.test(name);
    })
  );
}

export const isUtf16 = (charset: string | undefined): charset is "utf-16le" | "utf-16be" =>
  charset?.startsWith("utf-16") === true;

/** Returns the names of every `charset` parameter of a content type, known or not. */
export const readCharsets = (contentType: string | null): string[] =>
  contentType === null ? [] : distinct(parameterCharsets(contentType));

/** Returns the names of the charsets that text declares for itself. */
export const readOwnCharsets = (text: string): string[] => distinct(ownCharsets(text));

/** Each once: decoders are looked up for each name. Of more names, some are unknown or different. */
function distinct(names: Iterable<string>): string[] {
  const found = new Set<string>();
  for (const name of names) if (found.add(name.toLowerCase()).size >= MAX_NAMES) break;
  return [...found];
}
const MAX_NAMES = 99;

/** Returns whether a content type has an unknown charset, such as UTF-7: the text may have other letters than it shows. */
export const hasUnknownCharset = (contentType: string | null): boolean =>
  readCharsets(contentType).some(isUnknown);

/** Returns whether text may have other letters than it shows: it declares an unknown charset, or several for its parts. */
export function mayHaveOtherLetters(text: string): boolean {
  const names = readOwnCharsets(text);
  if (names.some(isUnknown) || wordCharsets(text).some(isUnknown)) return true;
  return new Set(names.map(resolveCharset).filter(isOther)).size > 1 && /[^\0-\x7f]/.test(text);
}

/** Latin-1 is also declared for plain ASCII. */
const isOther = (known: string | undefined): boolean => known !== undefined && known !== LATIN_1;

const isUnknown = (name: string): boolean =>
  !DETECTED.test(name) && resolveCharset(name) === undefined;
/** UTF-32 and its former names are detected by the bytes. */
const DETECTED = /^(?:utf[-_]?32|ucs)/i;

/** Only where parsers find them: prose and programs mention charsets, too. */
function* ownCharsets(text: string): Generator<string> {
  const [, xml] = XML_DECLARATION.exec(text) ?? [];
  if (xml !== undefined) yield xml;
  if (!CHARSET_NAME.test(text)) return;
  for (const [tag] of text.matchAll(META)) yield* parameterCharsets(tag);
  for (const [header] of text.matchAll(CONTENT_TYPE)) yield* parameterCharsets(header);
}

/** Yields the charsets of encoded words and of extended parameters (RFC 2231) in headers. */
function* wordCharsets(text: string): Generator<string> {
  if (!WORD.test(text)) return;
  for (const [header] of text.matchAll(HEADER)) {
    for (const [, word, value] of header.matchAll(WORDS)) yield word ?? value ?? "";
  }
}

/** Yields what follows each `charset`. Comments, escapes and continuations (RFC 2231) make a name unknown. */
function* parameterCharsets(parameters: string): Generator<string> {
  for (const [, sign = "", name] of parameters.matchAll(PARAMETER)) yield name ?? sign;
}

/** Returns text in which every known charset that it declares for itself is UTF-8. */
export function declareUtf8(text: string): string {
  const rename = (whole: string, name: string) =>
    resolveCharset(name) === undefined ? whole : `${whole.slice(0, -name.length)}utf-8`;
  const renameAll = (part: string) =>
    part.replace(PARAMETER, (whole, _, name?: string) => (name ? rename(whole, name) : whole));
  return text
    .replace(XML_DECLARATION, rename)
    .replace(META, renameAll)
    .replace(CONTENT_TYPE, renameAll);
}

const XML_DECLARATION = /^\s{0,99}<\?xml\s[^>]{0,200}?encoding\s{0,99}=\s{0,99}["']([^"'>]{1,99})/i;
const CHARSET_NAME = /charset/i;
const LINE = "[^\\r\\n]*(?:(?:\\r\\n?|\\n)[ \\t][^\\r\\n]*)*";
const CONTENT_TYPE = new RegExp(`^content-type[ \\t]{0,99}:${LINE}`, "gim");
const HEADER = new RegExp(`^[\\w-]{1,76}[ \\t]{0,99}:${LINE}`, "gm");
/** Linear: without an end, it matches up to an open quote. */
const META = /<meta\s(?:[^"'>]{1,4000}|"[^"]*"|'[^']*'){0,99}/gi;
/** A name that begins with another sign is a placeholder of a template. */
const PARAMETER = /(?<![\w.-])charset\s{0,99}(?:([*(])|=[\s"']{0,99}([\w(\\&=][^\s"';,>]{0,99}))/gi;
const EXTENDED = "\\*\\s{0,99}=[\\s\"]{0,99}([\\w.:+-]{1,40})'[\\w-]{0,40}'";
const WORDS = new RegExp(`=\\?([\\w.:+-]{1,40})(?:\\*[\\w-]{0,20})?\\?[bq]\\?|${EXTENDED}`, "gi");
const WORD = new RegExp(WORDS, "i");
