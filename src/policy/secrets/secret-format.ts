/** Format of a kind of credential, with the keywords at which its pattern is tried. */

export interface SecretFormat {
  /** Label in findings and in the mask: `github_token`. */
  label: string;
  /** In lower case. The pattern is tried at each of them. */
  keywords: readonly string[];
  /** Restricts the preceding character: `ask-…` is not `sk-…`, and `cameraKit` is not `meraki`. */
  boundary: "no_letter_or_digit" | "no_letter_of_its_case" | "anything";
  /** Possible distances from the start of the match to the keyword. */
  lookBehind: readonly number[];
  /** Sticky, with bounded repetition. Its group, which ends the match, is the secret; without a group, the whole match. */
  pattern: RegExp;
  /** Minimum entropy of the secret, in bits per character. */
  min_entropy: number;
  /** Check that a pattern cannot express. */
  isValid?: (value: string, name: string) => boolean;
  confidence: number;
  /** True if only the name of the value indicates a secret. */
  generic: boolean;
}

/** Character classes of the formats. */
export const ALNUM = "[A-Za-z0-9]";
export const HEX = "[0-9a-f]";
export const WORD = "[\\w-]";
export const BASE64 = "[A-Za-z0-9+/]";
export const UUID = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`;

/** Label, prefixes of the keys, and the pattern that follows. */
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

/** Label, names, and the pattern of values that only the preceding name identifies. */
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

/** Optional quote, possibly escaped: JSON inside JSON. */
export const QUOTE = "\\\\{0,3}[\"'`]?";
/** `=`, `:`, `=>`, `:=`, `>` of an element, or a comma before a quoted argument, with white space. */
export const ASSIGNMENT =
  "[ \\t]{0,8}(?::=|=>|={1,3}|:|>|,(?=[ \\t]{0,8}\\\\{0,3}[\"']))[ \\t]{0,8}";

/** Rejects a longer value, but accepts the underscores of `__bold__`. */
const NOT_LONGER = "(?!_?[A-Za-z0-9])";

const escapeRegex = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
