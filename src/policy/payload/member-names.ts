/** Reads the names of members: text that they hide, and names of the format in another spelling. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { foldName } from "../../lib/text/fold-name.ts";
import { createSegment } from "../segment.ts";
import { isHostileOperator } from "../signatures/injections/query-operators.ts";
import type { Payload } from "./payload.ts";
import { childLocation, type ValueLocation } from "./value-location.ts";

/** Reads a member name that is unusual, since it may hide text, or a hostile database operator. */
export function readMemberName(
  out: Payload,
  key: string,
  member: unknown,
  location: ValueLocation,
): void {
  if (isPlainName(key)) return;
  const hostile = key.startsWith("$") && isHostileOperator(key, member, location.name);
  if (ORDINARY_NAME.test(key) && !DATA_IN_NAME.test(key) && !hostile) return;
  if (out.names.has(key)) return;
  out.names.add(key);
  out.segments.push(
    createSegment(key, location.source, { ...childLocation(location, key), isName: true }),
  );
}

/** Checks for a short name of letters, as most are: three times as fast as the patterns below. */
function isPlainName(key: string): boolean {
  for (let at = 0; at < key.length; at++) {
    const unit = key.charCodeAt(at);
    const letter = unit | 0x20;
    if ((letter < 0x61 || letter > 0x7a) && unit !== UNDERSCORE) return false;
  }
  return key.length <= MAX_NAME_CHARACTERS;
}

const UNDERSCORE = 0x5f;
const MAX_NAME_CHARACTERS = 64;
const ORDINARY_NAME = /^[\w.$:/~-]{0,64}$/;
/** Matches seven digits, which may be a card or an account, and a digit in a long name, which may be a token. */
const DATA_IN_NAME = /^(?:\D*\d){7}|^(?=.{20})\D*\d/;

/**
 * Returns whether a member of an object may be read as one of `names`, or as a keyword, by a parser that ignores case.
 * At the top, where errors of some upstreams have names of their own, a string counts only beside the usual name.
 */
export function isRespelled(
  key: string,
  value: JsonObject,
  { names, location }: { names: ReadonlyMap<string, unknown>; location: ValueLocation },
): boolean {
  if (names.size === 0 || KEYWORDS.has(key)) return false;
  const folded = foldName(key);
  const name = KEYWORDS.has(folded) ? folded : foldNames(names).get(folded);
  if (name === undefined) return false;
  if (typeof value[key] === "object") return true;
  return location.pointer !== "" || Object.hasOwn(value, name);
}

/** Members that decide what an object is, who wrote it and what it belongs to. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...["type", "role", "index", "output_index", "content_index", "item_id", "call_id"],
]);

const foldedNames = new WeakMap<ReadonlyMap<string, unknown>, ReadonlyMap<string, string>>();

/** Returns the names by their folded form. */
function foldNames(names: ReadonlyMap<string, unknown>): ReadonlyMap<string, string> {
  const known = foldedNames.get(names);
  if (known) return known;
  const folded = new Map(Array.from(names.keys(), (name) => [foldName(name), name]));
  foldedNames.set(names, folded);
  return folded;
}
