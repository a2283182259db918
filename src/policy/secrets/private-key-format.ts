/** Format of a private key in PEM. Its headers and lines are ambiguous, so each pattern is written to match in linear time. */
import { createOpenTest } from "../../lib/text/open-pattern.ts";
import type { SecretFormat } from "./secret-format.ts";

const COMMENT_SIGN =
  "(?:#{1,3}|;{1,3}|%{1,3}|\\|{1,2}|::|\\*{1,2}|/{2,3}|-{1,2}|[Rr][Ee][Mm](?=[\\s\\\\]))";
const QUOTE_OR_COMMENT = `[ \\t]{0,8}(?:>(?:[> ]{0,8}>)?(?:[ \\t]{0,2}${COMMENT_SIGN})?|${COMMENT_SIGN})`;
/**
 * The sign of a line that a diff adds, quote signs of a mail, the sign of a comment, or several. Each text matches in one
 * way only: several would multiply per line.
 */
const LINE_PREFIX = `(?:\\+{1,2}(?:${QUOTE_OR_COMMENT})?|${QUOTE_OR_COMMENT})`;
/** Characters and prefixes between two lines. Keys in YAML and in code are indented. */
const MAX_BREAK = 80;
/** A line break, an escaped one, or string concatenation in code. */
const PLAIN = `\\s|\\\\{1,2}[nr]|["',]| \\+`;
const PLAIN_BREAK = `(?:${PLAIN}){1,${MAX_BREAK}}`;
/** Separator of the lines of a key. */
const BREAK = `(?:(?:[\\n\\r]|\\\\{1,2}[nr])${LINE_PREFIX}|${PLAIN}){1,${MAX_BREAK}}`;
const BASE64 = "[A-Za-z0-9+/=]";
const BEGIN = "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";
const END = "-----END [A-Z0-9 ]{0,40}-----";
const NAME = "[A-Za-z]{1,20}(?:-[A-Za-z]{1,20})?: ";
const HEADER_NAME = `${BREAK}${NAME}`;
/**
 * A value ends at the end of its line or, if the lines were joined, before the next header or the key. Five values that
 * could end anywhere, or at one end in two ways, would take seconds to match.
 */
const HEADER_VALUE = `(?:[^\\n\\\\]{0,120}(?=[\\n\\\\])|(?:(?!${PLAIN_BREAK}(?:${NAME}|${BASE64}{16}))[^\\n\\\\]){0,120}(?![\\n\\\\]))`;
/** After a prefix, a shorter word may belong to a comment below one that mentions the BEGIN line. */
const FIRST_LINE = `(?=${PLAIN_BREAK}${BASE64}{16}|${BREAK}${BASE64}{40})`;

export const PRIVATE_KEY_FORMAT: SecretFormat = {
  label: "private_key",
  keywords: ["-----begin "],
  boundary: "anything",
  lookBehind: [0],
  // All lines, and the END line if present.
  pattern: new RegExp(
    `${BEGIN}(?:${HEADER_NAME}${HEADER_VALUE}){0,5}${FIRST_LINE}(?:${BREAK}${BASE64}{16,20000}){1,400}(?:(?:${BREAK}${BASE64}{1,80}){0,2}(?:${BREAK})?${END})?`,
    "y",
  ),
  isOpen,
  min_entropy: 3,
  confidence: 0.95,
  generic: false,
};

/** Longest headers: five times a separator of 2,080 characters, a name of 43, and a value of 120. */
const MAX_HEADER_CHARACTERS = 11_300;
const BEGIN_LINE = new RegExp(BEGIN, "y");
const FIRST_HEADER = new RegExp(HEADER_NAME, "y");
/** A character that is in no line of a key, in no separator and in no prefix of a line, or the hyphens of an END line. */
const FOREIGN_TEXT =
  /-----(?!-)|[^A-Za-z0-9+/=\s\\"',](?<!(?:[\n\r]|\\[nr])[ \t]{0,8}[>#;%|:*/+-][ \t>#;%|:*/+-]{0,20})/g;
const isBeginOpen = createOpenTest(BEGIN_LINE);
const isHeaderOpen = createOpenTest(FIRST_HEADER);
const isEndOpen = createOpenTest(new RegExp(END));

/** Returns true for any text of as many characters as headers may have, and then for any lines up to the END line. */
function isOpen(text: string, at: number): boolean {
  BEGIN_LINE.lastIndex = at;
  if (!BEGIN_LINE.test(text)) return isBeginOpen(text, at);
  const start = BEGIN_LINE.lastIndex;
  if (isHeaderOpen(text, start)) return true;
  FIRST_HEADER.lastIndex = start;
  FOREIGN_TEXT.lastIndex = FIRST_HEADER.test(text) ? start + MAX_HEADER_CHARACTERS : start;
  const foreign = FOREIGN_TEXT.exec(text);
  return foreign === null || isEndOpen(text, foreign.index);
}
