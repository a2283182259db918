/** What the credentials of one kind look like, and the text that has to be there for a look to be worth it. */

export interface SecretFormat {
  /** Told in findings, and in the mask: `github_token`. */
  label: string;
  /** In lower case. The pattern is tried where one of them stands. */
  keywords: readonly string[];
  /** What may not stand before it. `ask-…` is not `sk-…`, and `cameraKit` is not `meraki`. */
  boundary: "no_letter_or_digit" | "no_letter_of_its_case" | "anything";
  /** How many characters the match may start before the keyword. */
  lookBehind: readonly number[];
  /** Sticky. Its group, at its end, is the secret, or else the whole. Repetition is bounded: no look may cost more than that. */
  pattern: RegExp;
  /** Bits per character that the secret has at least. */
  min_entropy: number;
  /** What a pattern cannot tell. */
  isValid?: (value: string, name: string) => boolean;
  confidence: number;
  /** The name of the value gives it away, not the value: what a person would call a guess. */
  generic: boolean;
}

/** Character classes that formats are made of. */
export const ALNUM = "[A-Za-z0-9]";
export const HEX = "[0-9a-f]";
export const WORD = "[\\w-]";
export const BASE64 = "[A-Za-z0-9+/]";
export const UUID = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`;

/** A name, the start that its keys have, and what follows. */
export type PrefixedRow = readonly [
  label: string,
  prefixes: string | readonly string[],
  rest: string,
];

export const toPrefixedFormat = ([label, prefixes, rest]: PrefixedRow): SecretFormat => {
  const starts = typeof prefixes === "string" ? [prefixes] : prefixes;
  return {
    label,
    keywords: starts.map((start) => start.toLowerCase()),
    boundary: "no_letter_or_digit",
    lookBehind: [0],
    pattern: new RegExp(`(?:${starts.map(escapeRegex).join("|")})${rest}${NOT_LONGER}`, "y"),
    min_entropy: 3,
    confidence: 0.95,
    generic: false,
  };
};

/** Keys that nothing but the name in front of them tells from other text of their alphabet. */
export type NamedRow = readonly [label: string, names: readonly string[], value: string];

export const toNamedFormat = ([label, names, value]: NamedRow): SecretFormat => ({
  label,
  keywords: names,
  boundary: "no_letter_of_its_case",
  lookBehind: [0],
  pattern: new RegExp(
    `(?:${names.map(escapeRegex).join("|")})[\\w.-]{0,30}${QUOTE}${ASSIGNMENT}${QUOTE}(${value})${NOT_LONGER}`,
    "iy",
  ),
  min_entropy: 3,
  confidence: 0.85,
  generic: false,
});

/** Quotes may be escaped: JSON inside JSON. */
export const QUOTE = "\\\\{0,3}[\"'`]?";
/** `=`, `:`, `=>`, `:=`, `>` of an element, or a comma before a quoted argument; white space around it. */
export const ASSIGNMENT =
  "[ \\t]{0,8}(?::=|=>|={1,3}|:|>|,(?=[ \\t]{0,8}\\\\{0,3}[\"']))[ \\t]{0,8}";

/** The underscores of `__bold__` may follow. */
const NOT_LONGER = "(?!_?[A-Za-z0-9])";

const escapeRegex = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
