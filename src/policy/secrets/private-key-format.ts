/** Format of a private key in PEM. Its headers and lines are ambiguous, so each pattern is written to match in linear time. */
import { createOpenTest } from "../../lib/text/open-pattern.ts";
import type { SecretFormat } from "./secret-format.ts";

const SIGN = "#{1,3}|;{1,3}|%{1,3}|\\|{1,2}|::|\\*{1,2}|/{2,3}|[Rr][Ee][Mm](?=[\\s\\\\])";
const COMMENT_SIGN = `(?:${SIGN}|-{1,2})`;
const QUOTE = `>(?:[> ]{0,8}>)?(?:[ \\t]{0,2}${COMMENT_SIGN})?`;
const INDENT = "[ \\t]{0,8}";
const QUOTE_OR_COMMENT = `${INDENT}(?:${QUOTE}|${COMMENT_SIGN})`;
const LINE_NUMBER = `${INDENT}\\d{1,6}(?: {0,2}[:|→]|\\t|\\\\{1,2}t)`;
/**
 * The sign of a line that a diff adds or removes, quote signs of a mail, the sign of a comment, or several; or a line
 * number, as tools print it. Each text matches in one way only: several would multiply per line.
 */
const LINE_PREFIX = `(?:\\+{1,2}(?:${QUOTE_OR_COMMENT})?|-{1,2}${INDENT}(?:${QUOTE}|${SIGN})|${QUOTE_OR_COMMENT}|${LINE_NUMBER})`;
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
 * A value ends at the end of its line or, if the lines were joined, before the next header or the key. The look-ahead
 * tries only one end: five values with several ends each would take seconds to match.
 */
const NEXT = `${BREAK}(?:${NAME}|${BASE64}{16})`;
const HEADER_VALUE = `(?=(?<value>[^\\n\\\\]{0,120}(?=[\\n\\\\])(?=${NEXT})|(?:(?!${NEXT})[^\\n\\\\]){0,120}))\\k<value>`;
/** After a prefix, a shorter word may belong to a comment below one that mentions the BEGIN line. */
const FIRST_LINE = `(?=${PLAIN_BREAK}${BASE64}{16}|${BREAK}${BASE64}{40})`;

export const PRIVATE_KEY_FORMAT: SecretFormat = {
  label: "private_key",
  keywords: ["-----begin "],
  boundary: "anything",
  lookBehind: [0],
  // All lines, and the END line if present. The first group is the secret.
  pattern: new RegExp(
    `(?<key>${BEGIN}(?:${HEADER_NAME}${HEADER_VALUE}){0,5}${FIRST_LINE}(?:${BREAK}${BASE64}{16,20000}){1,400}(?:(?:${BREAK}${BASE64}{1,80}){0,2}(?:${BREAK})?${END})?)`,
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
  /-----(?!-)|[^A-Za-z0-9+/=\s\\"',](?<!(?:[\n\r]|\\[nr])[ \t]{0,8}(?:[>#;%|:*/+-][ \t>#;%|:*/+-]{0,20}|\d{1,6} {0,2}[:|→]))/g;
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
