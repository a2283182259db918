/** Decodes the strings of a payload that encode bytes: base64 members and data URLs. */
import { decodeText, readCharset } from "../../lib/documents/decode-text.ts";
import {
  detectFileKind,
  detectKindFromStart,
  HEAD_BYTES,
  isMedia,
} from "../../lib/documents/file-kind.ts";
import type { StringEncoding } from "../segment.ts";

export type DecodedMember =
  | { kind: "text"; text: string; encoding: StringEncoding }
  | { kind: "document" | "media" | "binary" };

/** Returns undefined if the string is plain text, or too short to be encoded. */
export function decodeMember(key: string, value: string): DecodedMember | undefined {
  const url = DATA_URL.exec(value);
  if (url) {
    const { 0: prefix, 1: parameters = "" } = url;
    const data = value.slice(prefix.length);
    if (!isBase64(parameters)) return data.includes("%") ? decodePercent(prefix, data) : undefined;
    const strict = dropForeignCharacters(unescapePercent(data));
    return decodeBase64(prefix, strict) ?? (strict === "" ? undefined : { kind: "binary" });
  }
  if (!ENCODED_MEMBERS.has(key) || value.length < MIN_ENCODED_CHARACTERS) return undefined;
  const data = unwrapLines(value);
  const decoded = decodeBase64("", data) ?? decodeLenient(data);
  // Tokens of that length contain - or _.
  const isToken = data.length < MIN_BASE64URL_CHARACTERS && /[-_]/.test(data);
  return isToken && decoded?.kind !== "text" ? undefined : decoded;
}

/** Returns the bytes of a data URL or base64 string. */
export function decodeMemberBytes(value: string): Uint8Array {
  const url = DATA_URL.exec(value);
  if (!url) return Buffer.from(value, "base64");
  const data = value.slice(url[0].length);
  return isBase64(url[1] ?? "")
    ? Buffer.from(unescapePercent(data), "base64")
    : decodePercentBytes(data);
}

/** Writes changed text in the encoding that it was read from. */
export function encodeMember({ prefix, alphabet }: StringEncoding, text: string): string {
  // The text is always written as UTF-8.
  const before = prefix.replace(/(;\s{0,9}charset\s{0,9}=)[^;,]*/i, "$1utf-8");
  if (alphabet === "percent") return before + encodeURIComponent(text.toWellFormed());
  return before + Buffer.from(text).toString(alphabet);
}

function decodeBase64(prefix: string, data: string): DecodedMember | undefined {
  if (data === "" || !BASE64.test(data)) return undefined;
  const head = Buffer.from(data.slice(0, HEAD_CHARACTERS), "base64");
  if (detectKindFromStart(head)) return { kind: "document" };
  const charset = readCharset(prefix);
  if (decodeText(head, charset) === undefined) return { kind: isMedia(head) ? "media" : "binary" };
  const bytes = Buffer.from(data, "base64");
  if (detectFileKind(bytes)) return { kind: "document" };
  const text = decodeText(bytes, charset);
  const alphabet = /[-_]/.test(data) ? "base64url" : "base64";
  return text === undefined
    ? { kind: "binary" }
    : { kind: "text", text, encoding: { prefix, alphabet } };
}

/** Ignores characters outside base64, as Python and PHP do. Strings with white space are prose. */
function decodeLenient(data: string): DecodedMember | undefined {
  if (/\s/.test(data)) return undefined;
  const decoded = decodeBase64("", dropForeignCharacters(data));
  return decoded?.kind === "text" || decoded?.kind === "document" ? decoded : undefined;
}

const dropForeignCharacters = (data: string): string => data.replace(/[^A-Za-z0-9+/_=-]+/g, "");

function decodePercent(prefix: string, data: string): DecodedMember {
  const bytes = decodePercentBytes(data);
  if (detectFileKind(bytes)) return { kind: "document" };
  const text = decodeText(bytes, readCharset(prefix));
  if (text === undefined) return { kind: isMedia(bytes) ? "media" : "binary" };
  return { kind: "text", text, encoding: { prefix, alphabet: "percent" } };
}

const isBase64 = (parameters: string): boolean => /;\s{0,9}base64\s{0,9}$/i.test(parameters);

/** Decodes percent escapes to bytes. Unescaped non-ASCII characters are encoded as UTF-8. */
const decodePercentBytes = (data: string): Buffer =>
  Buffer.from(unescapePercent(Buffer.from(data).toString("latin1")), "latin1");

const unescapePercent = (data: string): string =>
  data.includes("%")
    ? data.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    : data;

/** Joins base64 that is wrapped into lines, as in mail. Shorter words are prose. */
function unwrapLines(text: string): string {
  if (!/\s/.test(text)) return text;
  const lines = text.trim().split(/\s+/);
  const isWrapped = lines.every(
    (line, at) => line.length >= MIN_LINE_CHARACTERS || at === lines.length - 1,
  );
  return isWrapped ? lines.join("") : text;
}

/** Pictures and encoded texts are longer. */
const MIN_ENCODED_CHARACTERS = 80;
const MIN_BASE64URL_CHARACTERS = 256;
const MIN_LINE_CHARACTERS = 40;
const HEAD_CHARACTERS = Math.ceil(Math.max(HEAD_BYTES, 4096) / 3) * 4;
const DATA_URL = /^\s{0,9}data:([^,]{0,200}),/i;
// Linear: the unbounded class and the padding are disjoint.
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Members that only the provider can decrypt. */
export const SEALED_MEMBERS = [
  "encrypted_content",
  "signature",
  "thoughtSignature",
  "thought_signature",
];
const ENCODED_MEMBERS = new Set([
  ...["data", "bytes", "blob", "b64_json", "file_data", "result"],
  ...SEALED_MEMBERS,
]);
