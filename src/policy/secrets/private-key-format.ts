/** Format of a private key in PEM. Its headers and lines are ambiguous, so each pattern is written to match in linear time. */
import { createOpenTest } from "../../lib/text/open-pattern.ts";
import type { SecretFormat } from "./secret-format.ts";

/** Separator of the lines of a key: a line break, an escaped one, or string concatenation in code. */
const BREAK = `(?:\\s|\\\\{1,2}[nr]|["',]| \\+){1,12}`;
const BASE64 = "[A-Za-z0-9+/=]";
const BEGIN = "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";
const END = "-----END [A-Z0-9 ]{0,40}-----";
const HEADER_NAME = `${BREAK}[A-Za-z]{1,20}(?:-[A-Za-z]{1,20})?: `;
/**
 * A value ends at the end of its line or, if the lines were joined, before the next header or the key. Five values that
 * could end anywhere would take seconds to match.
 */
const HEADER_VALUE = `(?:[^\\n\\\\]{0,120}(?=[\\n\\\\])|(?:(?!${HEADER_NAME}|${BREAK}${BASE64}{16})[^\\n\\\\]){0,120})`;

export const PRIVATE_KEY_FORMAT: SecretFormat = {
  label: "private_key",
  keywords: ["-----begin "],
  boundary: "anything",
  lookBehind: [0],
  // All lines, and the END line if present.
  pattern: new RegExp(
    `${BEGIN}(?:${HEADER_NAME}${HEADER_VALUE}){0,5}(?:${BREAK}${BASE64}{16,20000}){1,400}(?:(?:${BREAK}${BASE64}{1,80}){0,2}(?:${BREAK})?${END})?`,
    "y",
  ),
  isOpen,
  min_entropy: 3,
  confidence: 0.95,
  generic: false,
};

/** Longest headers: five times a separator of 36 characters, a name of 43, and a value of 120. */
const MAX_HEADER_CHARACTERS = 1000;
const BEGIN_LINE = new RegExp(BEGIN, "y");
const FIRST_HEADER = new RegExp(HEADER_NAME, "y");
/** A character that is in no line of a key and in no separator. */
const FOREIGN_CHARACTER = /[^A-Za-z0-9+/=\s\\"',]/;
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
  const lines = FIRST_HEADER.test(text) ? start + MAX_HEADER_CHARACTERS : start;
  const foreign = text.slice(lines).search(FOREIGN_CHARACTER);
  return foreign < 0 || isEndOpen(text, lines + foreign);
}
