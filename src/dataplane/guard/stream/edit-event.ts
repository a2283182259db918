/** Edits the JSON text of an event and keeps its other bytes. */

import { isObject, type JsonObject } from "../../../lib/json/json-object.ts";
import {
  applyEdits,
  eachMember,
  findValueEnd,
  skipBlank,
  type TextEdit,
} from "../../../lib/json/source-text.ts";
import { rewritePayload } from "../../../policy/payload/rewrite-payload.ts";
import { createSegment } from "../../../policy/segment.ts";
import { buildUnreadableError } from "../guard-errors.ts";

/** Replaces strings by their pointers. Drops the token lists next to them, unless it `keepsTokens`. */
export function replaceTexts(
  data: string,
  texts: ReadonlyMap<string, string>,
  { keepsTokens = false }: { keepsTokens?: boolean } = {},
): string {
  if (texts.size === 0) return data;
  const changes = [...texts].map(([pointer, text]) => ({
    segment: createSegment("", "assistant", { pointer }),
    text,
  }));
  return rewritePayload(`{"payload":${data}}`, changes, { complete: true, keepsTokens });
}

export function setSequenceNumber(data: string, sequence_number: number): string {
  const edits: TextEdit[] = [];
  eachMember(data, skipBlank(data, 0), (name, value) => {
    const end = findValueEnd(data, value);
    if (name === "sequence_number") {
      edits.push({ from: value, to: end, put: String(sequence_number) });
    }
    return end;
  });
  return applyEdits(data, edits);
}

/** Parses the JSON text of an evaluation. */
export function parseObject(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (isObject(value)) return value;
  throw buildUnreadableError("it is not an object");
}
