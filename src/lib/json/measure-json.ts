/** Estimates the memory of parsed JSON: small values take many times the size of their text. */
import { MAX_DEPTH } from "./skip-value.ts";

/** Measured in Bun 1.4: a million `[]` or `{"a":1}` take 90 MB, a million numbers in a list 25 MB. */
const CONTAINER_BYTES = 96;
const VALUE_BYTES = 24;

/** Limit for the members of a message: JSON.parse and what copies them take seconds for a million different names. */
export const MAX_MEMBERS = 100_000;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

export interface JsonMeasure {
  /** The bytes that the values take, without the text itself. */
  weight: number;
  /** Nesting depth. */
  depth: number;
  /** The members of all objects together. */
  members: number;
  /** The values of all objects and lists together, or a few more. */
  values: number;
}

export function measureJson(text: string): JsonMeasure {
  let members = 0;
  let commas = 0;
  let containers = 0;
  let open = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA) commas += 1;
    else if (code === COLON) members += 1;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      containers += 1;
      open += 1;
      if (open > depth) depth = open;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) open -= 1;
    else if (code === QUOTE) at = endOfString(text, at);
  }
  const weight = commas * VALUE_BYTES + containers * CONTAINER_BYTES;
  return { weight, depth, members, values: commas + containers };
}

/** Returns whether text is nested deeper than a request may be: JSON.stringify takes seconds to reject such a value. */
export const isTooDeep = (text: string): boolean =>
  text.length > MAX_DEPTH && measureJson(text).depth > MAX_DEPTH;

/** Returns the offset of the closing quote of the string at `from`; the end of the text without one. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** Returns the bytes that a parsed value takes, with its strings. */
export function measureValue(value: unknown): number {
  let weight = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    weight += VALUE_BYTES;
    if (typeof next === "string") weight += next.length;
    if (typeof next !== "object" || next === null) continue;
    weight += CONTAINER_BYTES;
    for (const member of Array.isArray(next) ? next : Object.values(next)) left.push(member);
  }
  return weight;
}

/** Returns whether the objects and lists of a parsed value contain more than `max` values. Stops counting there. */
export function hasMoreValues(value: unknown, max: number): boolean {
  const left = [value];
  let count = 0;
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== "object" || next === null) continue;
    const inner: unknown[] = Array.isArray(next) ? next : Object.values(next);
    count += inner.length;
    if (count > max) return true;
    left.push(...inner);
  }
  return false;
}
