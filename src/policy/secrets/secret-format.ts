/** Format of a kind of credential, with the keywords at which its pattern is tried. */
import type { OpenTest } from "../../lib/text/open-pattern.ts";
import { isNamedSecret } from "./is-named-secret.ts";
import { isRandomKey } from "./is-random-key.ts";

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
  /**
   * Returns the end of a secret of which the pattern matches the beginning. `from` is the end of the match. It skips
   * placeholders.
   */
  findEnd?: (text: string, from: number) => number | undefined;
  /** Replaces the test that is derived from the pattern, where that would not take linear time. */
  isOpen?: OpenTest;
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
    `(?:${names.map(escapeRegex).join("|")})${afterName}(${value})${NOT_LONGER}`,
    "iy",
  ),
  min_entropy: 3,
  isValid: (key, name) => isAssigned(name) || isRandomKey(key),
  confidence: 0.85,
  generic: false,
});

/** Optional quote, possibly escaped: JSON inside JSON. */
export const QUOTE = "\\\\{0,3}[\"'`]?";
const OPTIONAL_SPACE = "[ \\t]{0,8}";
/**
 * `=`, `:`, `=>`, `:=`, `?=`, `>` of an element (not of a placeholder: `user:<password>@host`), or a comma before a quoted argument, with white space. In XML also the
 * next attribute (`key="name" value="…"`) and the next element (`<key>name</key><string>…`).
 */
export const ASSIGNMENT = `(?:${OPTIONAL_SPACE}(?:[:?]{0,2}=|=>|={1,3}|:|>(?!(?<=:<[^<>]{1,80}>)@)|,(?=${OPTIONAL_SPACE}\\\\{0,3}["']))${OPTIONAL_SPACE}|\\s{1,4}value\\s{0,2}=\\s{0,2}|</(?:key|name)>\\s{0,40}<(?:string|value)>)`;

const KEY_NOUN = "(?:(?:key|token|secret|credential|password|apikey)s?|pat)";
const KEY_ADJECTIVE =
  "(?:api|rest|http|app|application|access|auth|account|client|admin|private|personal|service|server|integration|live|test|prod|production|staging|sandbox|dev|deploy|master|write|read|webhook|signing|project|bot|user|new|old|secret|bearer)";
const FILLER =
  "(?:is|was|are|for|of|in|on|to|with|using|via|the|our|my|this|here|value|id|env|environment)";
/** Words of a sentence between a name and its key: `API key for production is`. */
const KEY_PHRASE = `(?:[\\w.-]{0,30}(?:key|token|secret)|(?:'s)?(?:[ \\t](?:${KEY_ADJECTIVE}|${FILLER})){0,3}[ \\t]${KEY_NOUN})(?:[ \\t](?:${FILLER}|${KEY_ADJECTIVE}|${KEY_NOUN})){0,4}`;
/** Text between the name of a vendor and a key. Without an assignment or a key word, the key must look random. */
const afterName = `(?:[\\w.-]{0,30}${QUOTE}(?:${ASSIGNMENT}|\\((?=["']))|(?:${KEY_PHRASE}|[ \\t](?:is|was))?[ \\t]{0,3}(?:[ \\t:=,|;]|->)[ \\t]{0,3}[(<[]?)${QUOTE}`;
/** Detects an assignment, or a word such as key, in the text before a value. */
const isAssigned = (name: string) =>
  /[=:>(]|key|token|secret|\bpat\b|credential|password|value/i.test(name);

/** Format of random keys of any alphabet after a name. `name` matches the keywords, which were found at its offset. */
export const createRandomKeyFormat = (
  label: string,
  keywords: readonly string[],
  name: string,
): SecretFormat => ({
  label,
  keywords,
  boundary: "no_letter_of_its_case",
  lookBehind: [0],
  pattern: new RegExp(`${name}${afterName}([\\w~+/-]{16,120}={0,2})${NOT_LONGER}`, "iy"),
  min_entropy: 3.2,
  isValid: (key, name) => isRandomKey(key) && isNamedSecret(key, name),
  confidence: 0.75,
  generic: true,
});

/** Rejects a longer value, but accepts the underscores of `__bold__`. */
const NOT_LONGER = "(?!_?[A-Za-z0-9])";

const escapeRegex = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
