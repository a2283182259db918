/** Parses a whole JSON body, for what cannot be found by scanning its members. */
import { AppError } from "../../contract/errors.ts";
import {
  parseStrict,
  parseStrictText,
  type StrictLimits,
  type StrictParse,
} from "../../lib/json/parse-strict.ts";

/** Caps parsing, which blocks the event loop. Only token lists (embeddings) have this many values. */
export const MAX_VALUES = 300_000;

/** Rejects repeated names, because the upstream may use another one than the gateway checks, unless the result is sent. */
export function parseBody(
  body: Uint8Array | string,
  options: Omit<StrictLimits, "maxValues"> = {},
): Extract<StrictParse, { ok: true }> {
  const limits = { maxValues: MAX_VALUES, ...options };
  const parsed =
    typeof body === "string" ? parseStrictText(body, limits) : parseStrict(body, limits);
  if (!parsed.ok) throw new AppError("invalid_request", `The body is ${parsed.reason}.`);
  return parsed;
}
