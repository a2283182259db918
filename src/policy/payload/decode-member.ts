/** Decodes the strings of a payload that encode bytes: base64 members and data URLs. */
import { isUtf8 } from "node:buffer";
import {
  declareUtf8,
  hasUnknownCharset,
  readCharsets,
} from "../../lib/documents/declared-charsets.ts";
import { decodeText, readText } from "../../lib/documents/decode-text.ts";
import {
  detectFileKind,
  detectKindFromStart,
  isCompressed,
  isMedia,
} from "../../lib/documents/file-kind.ts";
import { hasEncodedParts, hasMimeParts } from "../../lib/documents/read-mime-parts.ts";
import type { JsonObject } from "../../lib/json/json-object.ts";
import type { SegmentSource, StringEncoding } from "../segment.ts";
import { isPage } from "./find-page.ts";

export type DecodedMember =
  | DecodedText
  /**
   * `isAmbiguous`: the string may be prose, and is read as text as well. `hasDocument`: the bytes end as a document, which
   * its reader finds.
   */
  | { kind: "document" | "media" | "binary"; isAmbiguous?: boolean; hasDocument?: boolean };

interface DecodedText {
  kind: "text";
  text: string;
  encoding: StringEncoding;
  /** Parts of the text are encoded, so that it is a document as well. */
  isMail: boolean;
  /** Not all of it is text. */
  hasBinary: boolean;
}

/** Returns undefined if the string is plain text, or too short to be encoded. `type`: declared beside the member. */
export function decodeMember(
  key: string,
  value: string,
  type: string | null,
): DecodedMember | undefined {
  const charsets = readCharsets(type);
  const url = splitDataUrl(value);
  if (url) return decodeUrl(url, [...readCharsets(url.prefix), ...charsets]);
  const isDeclared = BASE64_MEMBERS.has(key);
  if (!isDeclared && !ENCODED_MEMBERS.has(key) && !startsLikeFile(value)) return undefined;
  const data = dropWhiteSpace(value);
  if (data.length < (isDeclared ? MIN_DECLARED_CHARACTERS : MIN_ENCODED_CHARACTERS))
    return undefined;
  const decoded = decodeBase64("", data, charsets) ?? decodeLenient(data, charsets);
  if (decoded === undefined) {
    return isDeclared && hasInnerPadding(data) ? { kind: "binary", isAmbiguous: true } : undefined;
  }
  const isAmbiguous = mayBeProse(value);
  if (!isDeclared && !isPlausible(decoded, data, isAmbiguous)) return undefined;
  return decoded.kind === "text" ? decoded : { ...decoded, isAmbiguous };
}

/** Returns whether the members beside it declare a string as base64. Anthropic's plain text has a MIME type too. */
export const declaresBase64 = (key: string, members: JsonObject): boolean =>
  MEMBERS_BESIDE_TYPE.has(key) &&
  (members.type === "base64" ||
    (members.type !== "text" && MIME_TYPES.some((name) => name in members)));

/** Returns whether a member of any object is base64, by its name or by the members beside it. */
export const isBase64Member = (key: string, members: JsonObject): boolean =>
  BASE64_MEMBERS.has(key) || declaresBase64(key, members);

/** Returns whether a member is encrypted reasoning of Anthropic or OpenRouter, which is read like Bedrock's `redactedContent`. */
export const isSealedData = (
  key: string,
  { type }: JsonObject,
  { source }: { source: SegmentSource },
): boolean =>
  key === "data" &&
  source === "assistant" &&
  (type === "redacted_thinking" || type === "reasoning.encrypted");

/**
 * Returns the MIME type of a file, or its `format` (Bedrock), that the members of an object declare, or null:
 * `text/plain` for an MCP resource without one.
 */
export function readDeclaredType(members: JsonObject): string | null {
  for (const name of DECLARED_TYPES) {
    const type = members[name];
    if (typeof type === "string") return type;
  }
  return typeof members.uri === "string" && typeof members.text === "string" ? "text/plain" : null;
}

/** Returns whether an object declares a file in an unknown charset. */
export const declaresUnknownCharset = (members: JsonObject): boolean =>
  MIME_TYPES.some((name) => {
    const type = members[name];
    return typeof type === "string" && hasUnknownCharset(type);
  });

/** Returns the media type and the parameters of a data URL; null for another string or without them. */
export const readUrlType = (value: string): string | null =>
  splitDataUrl(value)?.parameters.trim() || null;

/** Returns the bytes of a data URL or base64 string; none if it is not base64. */
export function decodeMemberBytes(value: string): Uint8Array {
  const url = splitDataUrl(value);
  if (url && !url.isBase64) return decodePercentBytes(url.data);
  const base64 = url ? unescapePercent(url.data) : value;
  return hasInnerPadding(base64) ? new Uint8Array() : Buffer.from(base64, "base64");
}

interface DataUrl {
  /** Up to and including the comma. */
  prefix: string;
  /** Between the scheme and the comma: the media type and its parameters. */
  parameters: string;
  data: string;
  isBase64: boolean;
}

function splitDataUrl(value: string): DataUrl | undefined {
  const [prefix, parameters = ""] = DATA_URL.exec(value) ?? [];
  if (prefix === undefined) return undefined;
  const data = value.slice(prefix.length);
  // Some decoders ignore what the URL declares.
  const isBase64 = /;\s*base64\s*(?:;|$)/i.test(parameters) || startsLikeFile(data);
  return { prefix, parameters, data, isBase64 };
}

/** Listed, and read as text as well. */
const UNKNOWN_BYTES: DecodedMember = { kind: "binary", isAmbiguous: true };

function decodeUrl(
  { prefix, parameters, data, isBase64 }: DataUrl,
  charsets: readonly string[],
): DecodedMember | undefined {
  const isUsual =
    USUAL_PARAMETERS.test(parameters) && !SEVEN_DIGITS.test(parameters.replace(/base64/i, ""));
  if (!isBase64) {
    const undecoded = hasUnknownCharset(prefix) ? UNKNOWN_BYTES : undefined;
    if (!data.includes("%") && !hasMimeParts(data) && !isPage(data)) return undecoded;
    const encoding = { prefix, alphabet: "percent" } as const;
    const decoded = decodeBytes(decodePercentBytes(data), encoding, charsets);
    if (isUsual) return decoded;
    // Prose that begins like a data URL: the text includes the parameters.
    return decoded.kind === "text" ? undecoded : { ...decoded, isAmbiguous: true };
  }
  const strict = dropForeignCharacters(unescapePercent(data));
  if (strict === "") return undefined;
  const decoded = decodeBase64(prefix, strict, charsets) ?? { kind: "binary" };
  if (decoded.kind !== "text") return { ...decoded, isAmbiguous: !isUsual || mayBeProse(data) };
  return isUsual ? decoded : UNKNOWN_BYTES;
}

/** Returns whether a string begins with a file in base64, in a format that is known by its first bytes. */
function startsLikeFile(value: string): boolean {
  if (value.length < MIN_ENCODED_CHARACTERS) return false;
  const start = dropWhiteSpace(value.slice(0, START_CHARACTERS));
  if (!BASE64.test(start)) return false;
  const bytes = Buffer.from(start, "base64");
  return detectKindFromStart(bytes) !== undefined || isCompressed(bytes) || isMedia(bytes, 3);
}

/** Detects data after the padding, which some decoders read and others ignore. */
function hasInnerPadding(base64: string): boolean {
  const padding = base64.indexOf("=");
  return padding >= 0 && /[\w+/-]/.test(base64.slice(padding));
}

/** Writes changed text in the encoding that it was read from. */
export function encodeMember(to: StringEncoding, text: string): string {
  // The text is always written as UTF-8. The encoded parts of a mail remain in their charsets.
  const before = to.prefix.replace(/(;\s{0,9}charset\s{0,9}=)[^;,]*/gi, "$1utf-8");
  const written = to.isRecoded && !hasEncodedParts(text) ? declareUtf8(text) : text;
  if (to.alphabet === "percent") return before + encodeURIComponent(written.toWellFormed());
  return before + Buffer.from(written).toString(to.alphabet);
}

/** Rejects what prose and tokens decode to by chance. */
function isPlausible({ kind }: DecodedMember, data: string, isAmbiguous: boolean): boolean {
  // Tokens of that length contain - or _.
  const isToken = data.length < MIN_BASE64URL_CHARACTERS && /[-_]/.test(data);
  if (!isAmbiguous) return kind === "text" || !isToken;
  const bytes = Buffer.from(data, "base64");
  // Prose after encoded text would decode to damaged text.
  if (kind === "text") return isUtf8(bytes);
  return kind === "document" || isCompressed(bytes) || isMedia(bytes, 3);
}

function decodeBase64(
  prefix: string,
  data: string,
  charsets: readonly string[],
): DecodedMember | undefined {
  if (data === "" || !BASE64.test(data)) return undefined;
  const alphabet = /[-_]/.test(data) ? "base64url" : "base64";
  return decodeBytes(Buffer.from(data, "base64"), { prefix, alphabet }, charsets);
}

function decodeBytes(
  bytes: Uint8Array,
  encoding: StringEncoding,
  charsets: readonly string[],
): DecodedMember {
  if (detectKindFromStart(bytes) && !isMedia(bytes)) return { kind: "document" };
  const hasDocument = detectFileKind(bytes) !== undefined;
  const head = bytes.subarray(0, TEXT_HEAD_BYTES);
  if (decodeText(head, charsets) === undefined)
    return { kind: isMedia(head) ? "media" : "binary", hasDocument };
  if (hasDocument) return { kind: "document" };
  const read = readText(bytes, charsets);
  if (!read) return { kind: "binary" };
  const { text } = read;
  return {
    kind: "text",
    text,
    encoding: { ...encoding, isRecoded: !isUtf8(bytes) || bytes.includes(0) },
    isMail: hasMimeParts(text),
    hasBinary: read.hasBinary || hasUnknownCharset(encoding.prefix),
  };
}

/** Ignores characters outside base64, as Python and PHP do. */
function decodeLenient(data: string, charsets: readonly string[]): DecodedMember | undefined {
  const decoded = decodeBase64("", dropForeignCharacters(data), charsets);
  return decoded?.kind === "text" || decoded?.kind === "document" ? decoded : undefined;
}

const dropForeignCharacters = (data: string): string => data.replace(/[^A-Za-z0-9+/_=-]+/g, "");

/** Decodes percent escapes to bytes. Unescaped non-ASCII characters are encoded as UTF-8. */
const decodePercentBytes = (data: string): Buffer =>
  Buffer.from(unescapePercent(Buffer.from(data).toString("latin1")), "latin1");

const unescapePercent = (data: string): string =>
  data.includes("%")
    ? data.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    : data;

const dropWhiteSpace = (text: string): string => text.replace(/\s+/g, "");

/** Detects characters outside base64, and lines that are shorter than usual. */
const mayBeProse = (text: string): boolean =>
  hasShortLines(text) || !BASE64.test(dropWhiteSpace(text));

function hasShortLines(text: string): boolean {
  let start = 0;
  for (const { index, 0: gap } of text.trim().matchAll(/\s+/g)) {
    if (index - start < MIN_LINE_CHARACTERS) return true;
    start = index + gap.length;
  }
  return false;
}

/** Pictures and encoded texts are longer. */
const MIN_ENCODED_CHARACTERS = 80;
const MIN_BASE64URL_CHARACTERS = 256;
const MIN_LINE_CHARACTERS = 40;
/** Shorter strings contain no data worth protecting. */
const MIN_DECLARED_CHARACTERS = 16;
/** Enough to recognize text. */
const TEXT_HEAD_BYTES = 4096;
/** Enough for a signature, even in lines of a few characters. */
const START_CHARACTERS = 40;
/** URL parsers ignore line ends in the scheme. */
const DATA_URL = /^\s*d\s*a\s*t\s*a\s*:([^,]*),/i;
const USUAL = '(?:\\s*;\\s*(?:charset\\s*=\\s*"?[\\w.:-]{1,40}"?|utf-?8|base64))*';
/** One short parameter, such as `header=present`. */
const SHORT = '\\s*;\\s*(?!charset|utf-?8|base64)[a-z-]{1,12}\\s*=\\s*"?[\\w.-]{1,12}"?';
/** Other parameters may be text, and are inspected. */
const USUAL_PARAMETERS = new RegExp(
  `^(?:[a-z]{1,20}/[\\w.+-]{1,80})?${USUAL}(?:${SHORT}${USUAL})?\\s*$`,
  "i",
);
const SEVEN_DIGITS = /^(?:\D*\d){7}/;
// Linear: the unbounded class and the padding are disjoint.
const BASE64 = /^[A-Za-z0-9+/_-]*=*$/;

/** Members that only the provider can decrypt. */
export const SEALED_MEMBERS = [
  "encrypted_content",
  "signature",
  "thoughtSignature",
  "thought_signature",
];
const ENCODED_MEMBERS = new Set(["data", "result", "redactedContent", ...SEALED_MEMBERS]);
/** Members that every format defines as base64. */
const BASE64_MEMBERS = new Set(["bytes", "blob", "b64_json", "file_data"]);
/** Members that are base64 if a MIME type is beside them; all but the first are of A2A. */
const MEMBERS_BESIDE_TYPE = new Set(["data", "raw", "fileWithBytes", "file_with_bytes"]);
const MIME_TYPES = [
  ...["mimeType", "mime_type", "media_type"],
  ...["mediaType", "contentType", "content_type"],
];
const DECLARED_TYPES = [...MIME_TYPES, "format"];
