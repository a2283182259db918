/** Passwords that the word in front tells: `password: …`, `my password is …`, `--password …`. */
import { isPlaceholder } from "../secrets/is-placeholder.ts";
import type { EntityHit } from "./entities.ts";
import type { Clue } from "./scan-words.ts";

export function ledPassword(text: string, clue: Clue): EntityHit | undefined {
  const sign = signAfter(text, clue);
  if (!sign) return undefined;
  const value = valueAt(text, sign);
  if (value === "" || isPlaceholder(value) || isNoValue(value)) return undefined;
  const confidence = confidenceOf(value, sign);
  if (confidence === 0) return undefined;
  return { entity: "password", start: sign.end, end: sign.end + value.length, confidence };
}

interface Sign {
  end: number;
  /** The quote that opened the value, or nothing. */
  quote: string;
  /** `is` rather than `:` or `=`: a sentence, where a plain word is no secret. */
  spoken: boolean;
}

const ASSIGNED = /["'`]?[ \t]{0,3}(?:[:=]|=>|:=)[ \t]{0,3}(["'`]?)/y;
const SPOKEN = /[ \t]{1,3}(?:is|was|es|ist|est|é|è)(?: ?:)?[ \t]{1,3}(["'`]?)/y;
const FLAG = /[ \t](["'`]?)/y;

function signAfter(text: string, { start, end }: Clue): Sign | undefined {
  for (const pattern of text.startsWith("--", start - 2) ? [ASSIGNED, FLAG] : [ASSIGNED, SPOKEN]) {
    pattern.lastIndex = end;
    const found = pattern.exec(text);
    if (found) return { end: pattern.lastIndex, quote: found[1] ?? "", spoken: pattern === SPOKEN };
  }
  return undefined;
}

const LONGEST = 200;
const BARE_VALUE = /[^\s"'`,;<>(){}[\]\\]{4,200}/y;

function valueAt(text: string, { end, quote }: Sign): string {
  if (quote === "") {
    BARE_VALUE.lastIndex = end;
    const value = BARE_VALUE.exec(text)?.[0] ?? "";
    // Code that works the value out, such as a call.
    if (/[([{]/.test(text.charAt(end + value.length))) return "";
    return value.replace(/[.!?:]+$/, "");
  }
  const value = text.slice(end, end + LONGEST);
  const closed = value.indexOf(quote);
  return closed < 4 || /[\s\\]/.test(value.slice(0, closed)) ? "" : value.slice(0, closed);
}

/** What documents and code write in this place when they mean no password; PWD is a path, too. */
const isNoValue = (value: string) =>
  /^[.~]?\/|^[\^~]?\d+(?:\.\d+)+$|^(?:null|none|true|false|undefined|string|required|optional|text|hidden|password|passwd|secret|token)$|^(?:\*+|x+|\.+|-+)$|^(?:my|the|os|env|self|this|req|request|config|settings)[-_.]/i.test(
    value,
  );

function confidenceOf(value: string, { quote, spoken }: Sign): number {
  const plainWord = /^[\p{L}_.-]+$/u.test(value);
  if (plainWord) return quote !== "" && !spoken && value.length >= 6 ? 0.6 : 0;
  return spoken && value.length < 6 ? 0 : 0.85;
}
