/** Finds passwords after a clue word: `password: …`, `my password is …`, `--password …`. */
import { isPlaceholder } from "../secrets/is-placeholder.ts";
import type { EntityHit } from "./entities.ts";
import type { Clue } from "./scan-words.ts";

export function findPasswordAfterClue(text: string, clue: Clue): EntityHit | undefined {
  const separator = readSeparator(text, clue);
  if (!separator) return undefined;
  const value = readValue(text, separator);
  if (value === "" || isPlaceholder(value) || isNotPassword(value)) return undefined;
  const confidence = rateConfidence(value, separator);
  if (confidence === 0) return undefined;
  return {
    entity: "password",
    start: separator.end,
    end: separator.end + value.length,
    confidence,
  };
}

interface Separator {
  end: number;
  /** Opening quote of the value, or empty. */
  quote: string;
  /** True for `is` instead of `:` or `=`: in a sentence, a plain word is not a password. */
  isSentence: boolean;
}

const ASSIGNMENT = /["'`]?[ \t]{0,3}(?:[:=]|=>|:=)[ \t]{0,3}(["'`]?)/y;
const SENTENCE = /[ \t]{1,3}(?:is|was|es|ist|est|é|è)(?: ?:)?[ \t]{1,3}(["'`]?)/y;
const FLAG = /[ \t](["'`]?)/y;

function readSeparator(text: string, { start, end }: Clue): Separator | undefined {
  for (const pattern of text.startsWith("--", start - 2)
    ? [ASSIGNMENT, FLAG]
    : [ASSIGNMENT, SENTENCE]) {
    pattern.lastIndex = end;
    const match = pattern.exec(text);
    if (match)
      return { end: pattern.lastIndex, quote: match[1] ?? "", isSentence: pattern === SENTENCE };
  }
  return undefined;
}

const MAX_VALUE_CHARACTERS = 200;
const BARE_VALUE = /[^\s"'`,;<>(){}[\]\\]{4,200}/y;

function readValue(text: string, { end, quote }: Separator): string {
  if (quote === "") {
    BARE_VALUE.lastIndex = end;
    const value = BARE_VALUE.exec(text)?.[0] ?? "";
    // An expression that computes the value, such as a call.
    if (/[([{]/.test(text.charAt(end + value.length))) return "";
    return value.replace(/[.!?:]+$/, "");
  }
  const value = text.slice(end, end + MAX_VALUE_CHARACTERS);
  const closed = value.indexOf(quote);
  return closed < 4 || /[\s\\]/.test(value.slice(0, closed)) ? "" : value.slice(0, closed);
}

/** Detects keywords, versions and paths (PWD), which documents and code write instead of a password. */
const isNotPassword = (value: string) =>
  /^[.~]?\/|^[\^~]?\d+(?:\.\d+)+$|^(?:null|none|true|false|undefined|string|required|optional|text|hidden|password|passwd|secret|token)$|^(?:\*+|x+|\.+|-+)$|^(?:my|the|os|env|self|this|req|request|config|settings)[-_.]/i.test(
    value,
  );

function rateConfidence(value: string, { quote, isSentence: spoken }: Separator): number {
  const plainWord = /^[\p{L}_.-]+$/u.test(value);
  if (plainWord) return quote !== "" && !spoken && value.length >= 6 ? 0.6 : 0;
  return spoken && value.length < 6 ? 0 : 0.85;
}
