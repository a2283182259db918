/** Reads the excerpt of an upstream's error response that is recorded with the request. */
import { isObject } from "../../lib/json/json-object.ts";
import { viewBytes } from "../../lib/view-bytes.ts";
import type { ReplyHeaders } from "../../net/http/read-header-block.ts";
import { MAX_ERROR_CHARACTERS, toStorableText } from "../storable-text.ts";

/** Longer bodies are not parsed. */
const MAX_PARSED_BYTES = 16 * 1024;
/** A character has at most 4 bytes in UTF-8. */
const MAX_TEXT_BYTES = MAX_ERROR_CHARACTERS * 4;

/** Returns type, code and message of a JSON error; the start of any other body unless `membersOnly`. */
export function readUpstreamError(
  bytes: Uint8Array | undefined,
  headers: ReplyHeaders,
  { membersOnly }: { membersOnly: boolean },
): string | null {
  if (!bytes || bytes.length === 0 || headers.get("content-encoding") !== undefined) return null;
  const text = viewBytes(bytes);
  const known =
    bytes.length <= MAX_PARSED_BYTES ? describeJsonError(text.toString("utf8")) : undefined;
  const excerpt = known ?? (membersOnly ? null : text.toString("utf8", 0, MAX_TEXT_BYTES));
  return toStorableText(excerpt, MAX_ERROR_CHARACTERS);
}

/** Supports `{error: {…}}`, `{error: "…"}` and errors without a wrapper. Gemini may send an array of one. */
function describeJsonError(text: string): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const body: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isObject(body)) return undefined;
  const { type, status, code, message = body.error } = isObject(body.error) ? body.error : body;
  const names = [type ?? status, code].filter(isNameOrNumber).join(" ");
  const parts = [names, typeof message === "string" ? message : ""];
  return parts.filter((part) => part !== "").join(": ") || undefined;
}

const isNameOrNumber = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number";
