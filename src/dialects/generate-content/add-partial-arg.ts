/** Adds a value that Vertex streams, with its JSON path, to the arguments of a function call. */

import type { JsonObject } from "../../lib/json/json-object.ts";
import { isExactInteger } from "../../lib/json/parse-exact-json.ts";
import { MAX_DEPTH } from "../../lib/json/skip-value.ts";
import { asText } from "../invalid-response.ts";

type Container = Record<string | number, unknown>;

/** Texts of the same path are joined. Returns false if the path or the value is invalid. */
export function addPartialArg(args: JsonObject, part: JsonObject): boolean {
  const path = parsePath(asText(part.jsonPath));
  const value = readValue(part);
  const last = path?.pop();
  if (!path || last === undefined || value === undefined) return false;
  let target: Container = args;
  for (const [index, key] of path.entries()) {
    if (!hasPlace(target, key)) return false;
    const next = path[index + 1] ?? last;
    target[key] ??= typeof next === "number" ? [] : createObject();
    const inner = target[key];
    if (typeof inner !== "object" || inner === null || isExactInteger(inner)) return false;
    // Arrays and objects are both written by key.
    target = inner as Container;
  }
  if (!hasPlace(target, last)) return false;
  const before = target[last];
  if (before !== undefined && typeof before !== typeof value) return false;
  target[last] = typeof before === "string" ? before + String(value) : value;
  return true;
}

/** Without a prototype, so that `__proto__` is a name like any other. */
export const createObject = (): JsonObject => Object.create(null);

/**
 * A list grows by one element: a high index would take memory for those before it. Parsed arguments have a prototype:
 * a value at `__proto__` would change every object in the process.
 */
const hasPlace = (target: Container, key: string | number): boolean =>
  Array.isArray(target)
    ? typeof key === "number" && key <= target.length
    : typeof key === "string" && (Object.hasOwn(target, key) || !(key in target));

/** Returns undefined for values of another type, such as an object. */
function readValue({ stringValue, numberValue, boolValue, nullValue }: JsonObject): unknown {
  if (nullValue !== undefined) return null;
  if (typeof stringValue === "string") return stringValue;
  if (typeof numberValue === "number" || isExactInteger(numberValue)) return numberValue;
  return typeof boolValue === "boolean" ? boolValue : undefined;
}

/** Caps the time that a path takes: the pattern below is slow for long names. */
const MAX_PATH_CHARACTERS = 16 * 1024;

/** A name after a dot or in quotes, or an index (RFC 9535 section 2.3). */
const SEGMENT = /\.([^.[\]]+)|\[(?:(\d{1,9})|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/y;

function parsePath(text: string): (string | number)[] | undefined {
  const path: (string | number)[] = [];
  if (!text.startsWith("$") || text.length > MAX_PATH_CHARACTERS) return undefined;
  for (let at = 1; at < text.length; at = SEGMENT.lastIndex) {
    SEGMENT.lastIndex = at;
    const [found, name, index, ...quoted] = SEGMENT.exec(text) ?? [];
    if (found === undefined || path.length === MAX_DEPTH) return undefined;
    path.push(index === undefined ? (name ?? unescapeName(quoted)) : Number(index));
  }
  return path.length > 0 ? path : undefined;
}

const unescapeName = (quoted: (string | undefined)[]): string =>
  (quoted[0] ?? quoted[1] ?? "").replaceAll(
    /\\(?:u([0-9a-fA-F]{4})|(.))/gs,
    (_, code: string | undefined, character: string) =>
      code ? String.fromCharCode(Number.parseInt(code, 16)) : (ESCAPES[character] ?? character),
  );

const ESCAPES: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
