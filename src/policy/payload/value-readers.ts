/** Readers that collect the texts of a payload: known members by a table, all other values string by string. */
import { isEmptyObject, isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { parseStrictText } from "../../lib/json/parse-strict.ts";
import { createSegment, type SegmentSource } from "../segment.ts";
import {
  declaresBase64,
  declaresUnknownCharset,
  decodeMember,
  isBase64Member,
  isSealedData,
  readDeclaredType,
  readUrlType,
  SEALED_MEMBERS,
} from "./decode-member.ts";
import { findDecodedPage, findPage } from "./find-page.ts";
import { hasProseNames } from "./has-prose-names.ts";
import { isOpaque } from "./is-opaque.ts";
import { isItemMember, isRepeated, isRoutinelyEmpty } from "./is-repeated.ts";
import { keepLatest } from "./keep-latest.ts";
import { isRespelled, readMemberName } from "./member-names.ts";
import { MAX_ATTACHMENTS, MAX_UNINSPECTED, type Payload } from "./payload.ts";
import { childLocation, type ValueLocation } from "./value-location.ts";

/** Reads one value and adds its texts to `out`. */
export type ValueReader = (out: Payload, value: unknown, location: ValueLocation) => void;
export type MemberReaders = ReadonlyMap<string, ValueReader>;

/** Returns a Map, since member names are untrusted: `constructor` must not be found. */
export const memberReaders = (reads: Record<string, ValueReader>): MemberReaders =>
  new Map(Object.entries(reads));

export const ignoreValue: ValueReader = () => {};

/** Reads every member: by the table, else by `otherwise` if given, else as an unknown value. */
export function readMembers(
  out: Payload,
  value: JsonObject,
  location: ValueLocation,
  table: MemberReaders,
  otherwise?: ValueReader,
): void {
  const count = out.documents.length;
  const type = readDeclaredType(value);
  for (const key in value) {
    const member = value[key];
    const known = table.get(key);
    if (!known) readMemberName(out, key, member, location);
    if (!known && !otherwise && isRespelled(key, value, { names: table, location })) {
      out.respelled ??= childLocation(location, key).pointer;
    }
    const read = known ?? otherwise;
    const child = childLocation(location, key, type);
    if (typeof member === "string" && declaresBase64(key, value)) {
      readBase64(out, member, child);
    } else if (isSealedData(key, value, child)) readMember(out, member, child, "redactedContent");
    else if (read) read(out, member, child);
    else readMember(out, member, child, key);
  }
  if (declaresUnknownCharset(value)) reportBytes(out, location.pointer, "", "binary");
  listIfListLike(out, value, location);
  const files = out.documents.slice(count, MAX_ATTACHMENTS);
  for (const file of files) file.content_type ??= type;
}

/** Reads a value of unknown format, so that nothing remains uninspected. */
export const readUnknown: ValueReader = (out, value, location) =>
  readMember(out, value, location, "");

/** Reads a name that the format requires, such as that of a tool or participant. */
export const readName: ValueReader = (out, value, location) =>
  readMember(out, value, location, "id");

/** Reads every string, including ids: in the data of tools and programs, ids are content. */
export const readEvery: ValueReader = (out, value, location) => {
  if (typeof value === "number" || typeof value === "boolean" || value === null || value === "") {
    readScalar(out, value, location);
  } else if (typeof value === "string") {
    readString(out, value, location, "");
  } else if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) readEvery(out, value[i], childLocation(location, i));
    if (value.length === 0) readScalar(out, "[]", location);
  } else if (isObject(value)) {
    const type = readDeclaredType(value);
    for (const key in value) {
      const member = value[key];
      readMemberName(out, key, member, location);
      const isBytes = typeof member === "string" && member !== "" && isBase64Member(key, value);
      (isBytes ? readBase64 : readEvery)(out, member, childLocation(location, key, type));
    }
    if (declaresUnknownCharset(value)) reportBytes(out, location.pointer, "", "binary");
    listIfListLike(out, value, location);
    if (isEmptyObject(value)) readScalar(out, "{}", location);
  }
};

/** Reads data with application-defined names. A string may be encoded bytes. */
export const readData: ValueReader = (out, value, location) =>
  typeof value === "string"
    ? readMember(out, value, location, "data")
    : readEvery(out, value, location);

/** Reads a string that the format defines as base64. */
export const readBase64: ValueReader = (out, value, location) =>
  readMember(out, value, location, "blob");

/** Reads a string that is always text. */
export const readText: ValueReader = (out, value, location) => {
  if (typeof value !== "string") readUnknown(out, value, location);
  else if (value !== "") {
    const segment = createSegment(value, location.source, location);
    out.segments.push(segment);
    const page = findPage(segment, location);
    if (page) out.pages.push(page);
  }
};

/**
 * Reads the strings of JSON that is embedded in a string, so that it is still JSON after Transform. Returns the parsed
 * value, or undefined if it is not strict JSON and is read as text.
 */
export function readJsonText(out: Payload, text: string, location: ValueLocation): unknown {
  const parsed = parseStrictText(text);
  if (parsed.ok && !parsed.isRepaired && !hasProseNames(parsed.value)) {
    readEvery(out, parsed.value, { ...location, inner: "" });
  } else {
    readText(out, text, location);
  }
  return parsed.ok && !parsed.isRepaired ? parsed.value : undefined;
}

export const readEach =
  (read: ValueReader): ValueReader =>
  (out, value, location) => {
    if (isListLike(value)) {
      listIfListLike(out, value, location);
      for (const key in value) read(out, value[key], childLocation(location, key));
      return;
    }
    if (!Array.isArray(value)) return read(out, value, location);
    for (let i = 0; i < value.length; i++) read(out, value[i], childLocation(location, i));
  };

/** Detects an object that JavaScript clients read like a list, by its indexes. */
const isListLike = (value: unknown): value is JsonObject =>
  isObject(value) && Object.hasOwn(value, "0") && Object.keys(value).every(isIndex);
const isIndex = (key: string): boolean => /^\d{1,6}$/.test(key);

/** Lists an object for an approver, who sees only the paths of its members and would take it for a list. */
function listIfListLike(out: Payload, value: JsonObject, at: ValueLocation): void {
  if (out.ids === null || !isListLike(value)) return;
  const { role, pointer, inner } = at;
  keepLatest(out, out.ids, { text: "object", role, pointer, inner });
}

/** Reads the same texts with another source. */
export const withSource =
  (source: SegmentSource, read: ValueReader): ValueReader =>
  (out, value, location) =>
    read(out, value, { ...location, source });

/** Reads the same texts as those of a file. */
export const asFile =
  (read: ValueReader): ValueReader =>
  (out, value, location) =>
    read(out, value, { ...location, isFile: true });

/** Reads an object by a table; anything else as an unknown value. */
export const readObject =
  (table: MemberReaders): ValueReader =>
  (out, value, location) => {
    if (isObject(value)) readMembers(out, value, location, table);
    else readUnknown(out, value, location);
  };

/** Reads an object with application-defined names: except for members in the table, ids are content. */
export const readDataObject =
  (table: MemberReaders): ValueReader =>
  (out, value, location) => {
    if (isObject(value)) readMembers(out, value, location, table, readEvery);
    else readEvery(out, value, location);
  };

/** Reads a string as text, or decodes it if the member usually contains encoded bytes. */
function readString(out: Payload, value: string, location: ValueLocation, key: string): void {
  const decoded = decodeMember(key, value, location.content_type);
  if (decoded === undefined) {
    readText(out, value, location);
    return;
  }
  // For JSON inside a string, the pointer locates that string.
  const { source, pointer } = location;
  const content_type = readUrlType(value);
  const file = { filename: null, content_type, data: value, url: null, pointer };
  if (decoded.kind === "text") {
    const { text, encoding, isMail, hasBinary } = decoded;
    const isFile = location.isFile || FILE_MEMBER.test(location.name);
    const segment = createSegment(text, source, { ...location, encoding, isFile });
    out.segments.push(segment);
    const page = isMail ? null : findDecodedPage(segment);
    if (isMail) out.documents.push(file);
    if (page) out.pages.push(page);
    if (hasBinary) reportBytes(out, pointer, key, "binary");
    return;
  }
  const { kind, isAmbiguous, hasDocument } = decoded;
  if (kind === "document" || hasDocument) out.documents.push(file);
  if (kind !== "document") reportBytes(out, pointer, key, kind);
  // A key or token may resemble encoded bytes.
  const isShort = value.length <= MAX_TOKEN_CHARACTERS && !SEALED_MEMBERS.includes(key);
  if (isAmbiguous || (kind === "binary" && isShort)) readText(out, value, location);
}

/** Members that contain a file or its URL. In others, such as `prompt`, what a client typed may begin like a data URL. */
const FILE_MEMBER = /(?:ur[il]|data|bytes|blob|b64_json|raw|file|image|document|attachment)$/i;

/** Lists bytes of which no text is read. Signatures of a provider are listed only for an approver. */
function reportBytes(out: Payload, pointer: string, key: string, kind: "media" | "binary"): void {
  if (SIGNATURE_MEMBERS.has(key)) {
    if (out.ids === null || isItemMember(pointer)) return;
    keepLatest(out, out.ids, { text: kind, role: null, pointer, inner: null, isBytes: true });
    return;
  }
  const reason = /^(?:encrypted_content|redactedContent)$/.test(key) ? "encrypted" : kind;
  if (out.uninspected.length < MAX_UNINSPECTED) out.uninspected.push({ pointer, reason });
  else out.dropped_values++;
}

/** Members by which a provider signs its own texts. In other places they are arguments. */
const SIGNATURE_MEMBERS: ReadonlySet<string> = new Set([
  ...["signature", "thoughtSignature", "thought_signature"],
]);
const MAX_TOKEN_CHARACTERS = 4096;

/** Smaller numbers are not personal data. */
const MIN_NUMBER = 100_000;

/**
 * Reads a scalar. Large integers in tool data and in JSON text become segments, since programs write cards and accounts
 * as numbers. Elsewhere numbers are settings and counts. `isId` marks ids of the format.
 */
function readScalar(
  out: Payload,
  value: number | boolean | null | "" | "[]" | "{}",
  location: ValueLocation,
  isId = false,
): void {
  const { source, role, pointer, inner } = location;
  const isCall = source === "tool_arguments";
  const isLong = Number.isInteger(value) && Math.abs(Number(value)) >= MIN_NUMBER;
  if (isLong && !isId && (isCall || source === "tool_result" || inner !== null)) {
    out.segments.push(createSegment(String(value), source, { ...location, isNumber: true }));
    return;
  }
  const scalar = { text: String(value), role, pointer, inner };
  const isToolData = source === "tool_result" || source === "tool_definition";
  if (isCall || (!isId && !isToolData)) keepLatest(out, out.values, scalar);
  // Only an approver reads these: a table can have a hundred thousand numbers.
  else if (!isId && out.ids !== null) keepLatest(out, out.ids, scalar);
}

/** Lists an id or name of the format for an approver. */
export function listId(out: Payload, text: string, at: ValueLocation, key: string): void {
  if (out.ids === null || isRepeated(key, text, at)) return;
  const { role, pointer, inner } = at;
  keepLatest(out, out.ids, { text, role, pointer, inner });
}

/** Lists an empty value of unknown meaning for an approver: a filter without members selects everything. */
function listEmpty(out: Payload, text: "" | "null" | "[]" | "{}", at: ValueLocation): void {
  const { role, pointer, inner, name, isSchema } = at;
  if (out.ids === null || isSchema || isRoutinelyEmpty(name, pointer)) return;
  keepLatest(out, out.ids, { text, role, pointer, inner });
}

const NO_MEMBERS = memberReaders({});

/** Reads a value by the name of its member, or of the list that contains it. */
function readMember(out: Payload, value: unknown, location: ValueLocation, key: string): void {
  if (value === null || value === "") {
    listEmpty(out, value ?? "null", location);
  } else if (typeof value === "string") {
    if (!isOpaque(key, value, location.source)) readString(out, value, location, key);
    else listId(out, value, location, key);
  } else if (typeof value === "number" || typeof value === "boolean") {
    const isId = isOpaque(key, String(value), location.source);
    readScalar(out, value, location, isId);
    if (isId) listId(out, String(value), location, key);
  } else if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++)
      readMember(out, value[i], childLocation(location, i), key);
    if (value.length === 0) listEmpty(out, "[]", location);
  } else if (isObject(value)) {
    readMembers(out, value, location, NO_MEMBERS);
    if (isEmptyObject(value)) listEmpty(out, "{}", location);
  }
}
