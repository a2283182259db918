/** Extracts the texts, tool calls and attachments of a payload, within limits. */
import { AppError } from "../contract/errors.ts";
import { listEmbeddedBytes } from "../policy/payload/list-embedded-bytes.ts";
import type { Payload } from "../policy/payload/payload.ts";
import { readPayload } from "../policy/payload/read-payload.ts";
import { restoreLongIntegers } from "../policy/payload/restore-numbers.ts";
import type { AssignedEvaluation, ExtractedEvaluation } from "./stages.ts";

/** Every detector reads every text, so the count is capped; no conversation comes close. */
const MAX_TEXTS = 50_000;
/** Caps the sum of all pointers: a member name of 1 MB is part of the pointer of every text below it. */
const MAX_POINTER_CHARACTERS = 64 * 1024 * 1024;

export function extractTexts(assigned: AssignedEvaluation): ExtractedEvaluation {
  const { request, text, origin, is_foreign_body = false, unread = [] } = assigned;
  const direction = request.direction ?? "input";
  const protocol = request.protocol ?? "all";
  const attributes = request.attributes ?? {};
  const payload = readPayload(request.payload, {
    direction,
    protocol,
    attributes,
    is_foreign_body,
  });
  for (const part of unread) payload.uninspected.push(part);
  checkPayload(payload);
  listEmbeddedBytes(payload);
  restoreLongIntegers(text, payload.segments);
  const extracted = assigned as ExtractedEvaluation;
  extracted.direction = direction;
  extracted.protocol = protocol;
  extracted.session_id = request.session_id ?? origin.request_id;
  extracted.payload = payload;
  return extracted;
}

function checkPayload({ segments, attachments }: Payload): void {
  let texts = 0;
  let pointers = 0;
  for (const { isNumber, pointer, inner } of segments) {
    if (!isNumber) texts += 1;
    pointers += pointer.length + (inner?.length ?? 0);
  }
  if (texts > MAX_TEXTS) {
    throw new AppError("too_large", `payload: contains more than ${MAX_TEXTS} texts.`);
  }
  if (pointers > MAX_POINTER_CHARACTERS) {
    throw new AppError("too_large", "payload: member names are too long in total. Shorten them.");
  }
  const invalid = attachments.find(({ data, url }) => (data === null) === (url === null));
  if (!invalid) return;
  const text = `payload${invalid.pointer}: must have exactly one of data (base64) and url.`;
  throw new AppError("invalid_request", text);
}
