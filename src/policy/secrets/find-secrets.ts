/** Finds credentials: one pass for the keywords of all formats, then the format's pattern at each keyword. */
import { createKeywordFinder } from "../../lib/text/keyword-finder.ts";
import { BUSINESS_FORMATS } from "./business-formats.ts";
import { CLOUD_FORMATS } from "./cloud-formats.ts";
import { DEVELOPER_FORMATS } from "./developer-formats.ts";
import { entropy } from "./entropy.ts";
import { GENERAL_FORMATS } from "./general-formats.ts";
import { isPlaceholder } from "./is-placeholder.ts";
import type { SecretFormat } from "./secret-format.ts";

export interface Secret {
  label: string;
  confidence: number;
  generic: boolean;
  /** Bits per character. */
  entropy: number;
  start: number;
  end: number;
}

export const SECRET_FORMATS: readonly SecretFormat[] = [
  ...BUSINESS_FORMATS,
  ...CLOUD_FORMATS,
  ...DEVELOPER_FORMATS,
  ...GENERAL_FORMATS,
];

/** Labels of all formats. Several formats may share a label. */
export const SECRET_LABELS = [...new Set(SECRET_FORMATS.map(({ label }) => label))].sort();

const formatsByKeyword = new Map<string, SecretFormat[]>();
for (const format of SECRET_FORMATS) {
  for (const keyword of format.keywords) {
    formatsByKeyword.set(keyword, [...(formatsByKeyword.get(keyword) ?? []), format]);
  }
}
/** Keywords of all formats, in lower case. */
export const SECRET_KEYWORDS: readonly string[] = [...formatsByKeyword.keys()];
const FORMATS_BY_KEYWORD = [...formatsByKeyword.values()];
const findKeywords = createKeywordFinder(SECRET_KEYWORDS, { ignore_case: true });

/** Returns secrets in text order, without overlaps. */
export function findSecrets(text: string): readonly Secret[] {
  const secrets: Secret[] = [];
  findKeywords(text, (keyword, end) => collectSecretsAt(text, keyword, end, secrets));
  return mergeOverlaps(secrets);
}

/** Adds the secrets of a keyword that ends at `end` to `secrets`. */
export function collectSecretsAt(
  text: string,
  keyword: number,
  end: number,
  secrets: Secret[],
): void {
  const start = end - (SECRET_KEYWORDS[keyword]?.length ?? 0);
  for (const format of FORMATS_BY_KEYWORD[keyword] ?? []) {
    const secret = readSecretAt(text, start, format);
    if (secret) secrets.push(secret);
  }
}

/** Of the indentation of a private key. */
const WHITE_SPACE = /\s+/g;

function readSecretAt(text: string, keyword: number, format: SecretFormat): Secret | undefined {
  for (const back of format.lookBehind) {
    const from = keyword - back;
    if (from < 0 || !hasBoundary(text, from, format)) continue;
    format.pattern.lastIndex = from;
    const match = format.pattern.exec(text);
    if (!match) continue;
    const matchEnd = from + match[0].length;
    const end = format.findEnd ? format.findEnd(text, matchEnd) : matchEnd;
    if (end === undefined) continue;
    const whole = text.slice(from, end);
    const value = match[1] ?? whole;
    const bits = entropy(value.replaceAll(WHITE_SPACE, ""));
    if (bits < format.min_entropy || (!format.findEnd && isPlaceholder(value))) continue;
    if (format.isValid && !format.isValid(value, whole.slice(0, -value.length))) continue;
    const { label, confidence, generic } = format;
    const start = end - value.length;
    return {
      label,
      confidence,
      generic,
      entropy: bits,
      start,
      end: generic ? findQuotedEnd(text, start, end) : end,
    };
  }
  return undefined;
}

/** Extends a quoted value to its closing quote. */
function findQuotedEnd(text: string, start: number, end: number): number {
  const quote = text.charAt(start - 1);
  if (!/["'`]/.test(quote)) return end;
  const [rest = ""] = /^[^\s"'`]{0,100}/.exec(text.slice(end, end + 101)) ?? [];
  return text.charAt(end + rest.length) === quote ? end + rest.length : end;
}

/** Merges overlapping secrets under the label of the one with the highest confidence, then of the longest. */
export function mergeOverlaps(secrets: readonly Secret[]): readonly Secret[] {
  if (secrets.length < 2) return secrets;
  const merged: Secret[] = [];
  for (const secret of secrets.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (!last || secret.start >= last.end) merged.push(secret);
    else {
      const named = outranks(secret, last) ? secret : last;
      merged[merged.length - 1] = {
        ...named,
        start: last.start,
        end: Math.max(last.end, secret.end),
      };
    }
  }
  return merged;
}

const outranks = (one: Secret, other: Secret) =>
  (one.confidence - other.confidence || one.end - one.start - (other.end - other.start)) > 0;

function hasBoundary(text: string, at: number, { boundary }: SecretFormat): boolean {
  if (boundary === "anything" || at === 0) return true;
  const before = classifyUnit(text.charCodeAt(at - 1));
  if (boundary === "no_letter_or_digit") return before === "other";
  return before === "other" || before === "digit" || before !== classifyUnit(text.charCodeAt(at));
}

function classifyUnit(unit: number): "digit" | "upper" | "lower" | "other" {
  if (unit >= 0x30 && unit <= 0x39) return "digit";
  if (unit >= 0x41 && unit <= 0x5a) return "upper";
  return unit >= 0x61 && unit <= 0x7a ? "lower" : "other";
}
