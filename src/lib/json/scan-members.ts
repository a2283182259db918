/** Finds top-level members of a JSON object by name, without building a tree. */
import { isUtf8 } from "node:buffer";
import { matchName, type NameMatch } from "./match-name.ts";
import {
  CLOSE_BRACE,
  COLON,
  COMMA,
  MAX_DEPTH,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
  TOO_DEEP,
} from "./skip-value.ts";

export type JsonKind = "string" | "number" | "object" | "array" | "true" | "false" | "null";

export interface JsonMember {
  kind: JsonKind;
  /** Byte range of the value. */
  start: number;
  end: number;
  /** Byte range of the name, with its quotes. */
  name_start: number;
  name_end: number;
  /** Byte range between the separators around the member: name, colon, value and white space. */
  slot_start: number;
  slot_end: number;
  /** The previous member of the same name. Parsers disagree on which of them counts. */
  earlier: JsonMember | undefined;
}

export interface MemberScan<Name extends string> {
  ok: true;
  bytes: Uint8Array;
  /** The last member of each wanted name: the one that JSON.parse uses. */
  found: Map<Name, JsonMember>;
  /** The last member whose name equals a wanted one only when case and letter style are ignored. */
  variants: Map<Name, JsonMember>;
  /** Members of other names. */
  others: JsonMember[];
  /** Offset at which a new last member is inserted. */
  tail: number;
  empty: boolean;
}

export interface MemberScanError {
  ok: false;
  /** Completes the sentence "The body is …". Contains nothing of the document. */
  reason: string;
}

/** Caps the time and memory that a body of tiny members costs. No API needs a fraction of it. */
const MAX_MEMBERS = 1000;

/** Validates the whole document: strict JSON in UTF-8 without a byte order mark, with an object at the top. */
export function scanMembers<const Name extends string>(
  bytes: Uint8Array,
  wanted: readonly Name[],
): MemberScan<Name> | MemberScanError {
  if (!isUtf8(bytes)) return { ok: false, reason: "not valid UTF-8" };
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN_BRACE) return { ok: false, reason: "not a JSON object" };

  const found = new Map<Name, JsonMember>();
  const variants = new Map<Name, JsonMember>();
  const others: JsonMember[] = [];
  let count = 0;
  let slotStart = at + 1;
  let tail = slotStart;
  at = skipSpace(bytes, slotStart);
  const empty = bytes[at] === CLOSE_BRACE;
  while (!empty) {
    if (++count > MAX_MEMBERS)
      return { ok: false, reason: `an object of more than ${MAX_MEMBERS} members` };
    const nameStart = at;
    const nameEnd = skipString(bytes, nameStart);
    if (nameEnd < 0) return syntaxError(bytes, nameEnd);
    at = skipSpace(bytes, nameEnd);
    if (bytes[at] !== COLON) return syntaxError(bytes, ~at);

    const start = skipSpace(bytes, at + 1);
    tail = skipValue(bytes, start);
    if (tail < 0) return syntaxError(bytes, tail);
    at = skipSpace(bytes, tail);
    const member: JsonMember = {
      kind: kindOf(bytes[start]),
      start,
      end: tail,
      name_start: nameStart,
      name_end: nameEnd,
      slot_start: slotStart,
      slot_end: at,
      earlier: undefined,
    };
    let match: NameMatch;
    for (const name of wanted) {
      match = matchName(bytes, nameStart + 1, nameEnd - 1, name);
      if (!match) continue;
      const list = match === "same" ? found : variants;
      member.earlier = list.get(name);
      list.set(name, member);
      break;
    }
    if (!match) others.push(member);

    if (bytes[at] === CLOSE_BRACE) break;
    if (bytes[at] !== COMMA) return syntaxError(bytes, ~at);
    slotStart = at + 1;
    at = skipSpace(bytes, slotStart);
  }

  at = skipSpace(bytes, at + 1);
  return at === bytes.length
    ? { ok: true, bytes, found, variants, others, tail, empty }
    : syntaxError(bytes, ~at);
}

/** Returns the parsed value of a member; undefined when it is missing. */
export function parseMember<Name extends string>(
  members: MemberScan<Name>,
  name: NoInfer<Name>,
): unknown {
  const member = members.found.get(name);
  if (!member) return undefined;
  const text = textOf(members.bytes, member.start, member.end);
  // Most strings contain no escape and need no parsing.
  if (member.kind === "string" && !text.includes("\\")) return text.slice(1, -1);
  return JSON.parse(text);
}

export const parseName = ({ bytes }: MemberScan<string>, member: JsonMember): string =>
  JSON.parse(textOf(bytes, member.name_start, member.name_end));

function textOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
}

function kindOf(first: number | undefined): JsonKind {
  switch (first) {
    case QUOTE:
      return "string";
    case OPEN_BRACE:
      return "object";
    case OPEN_BRACKET:
      return "array";
    case 0x74:
      return "true";
    case 0x66:
      return "false";
    case 0x6e:
      return "null";
    default:
      return "number";
  }
}

function syntaxError(bytes: Uint8Array, failed: number): MemberScanError {
  if (failed === TOO_DEEP) return { ok: false, reason: `nested deeper than ${MAX_DEPTH} levels` };
  const at = ~failed;
  if (at >= bytes.length) return { ok: false, reason: "not valid JSON: it ends too early" };
  return { ok: false, reason: `not valid JSON at byte ${at}` };
}
