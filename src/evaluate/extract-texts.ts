/** Extracts the texts, tool calls and attachments of a payload, within limits. */
import { AppError } from "../contract/errors.ts";
import { listEmbeddedBytes } from "../policy/payload/list-embedded-bytes.ts";
import type { Payload } from "../policy/payload/payload.ts";
import { readPayload } from "../policy/payload/read-payload.ts";
import { restoreLongIntegers } from "../policy/payload/restore-numbers.ts";
import type { AssignedEvaluation, BatchTotals, ExtractedEvaluation } from "./stages.ts";

/** Every detector reads every text, so the count is capped; no conversation comes close. */
const MAX_TEXTS = 50_000;
/** Caps the sum of all pointers: a member name of 1 MB is part of the pointer of every value below it. */
const MAX_POINTER_CHARACTERS = 64 * 1024 * 1024;

export function extractTexts(assigned: AssignedEvaluation): ExtractedEvaluation {
  const { request, text, origin, is_foreign_body = false, unread = [] } = assigned;
  const incomplete = new Set(assigned.incomplete_calls);
  const direction = request.direction ?? "input";
  const protocol = request.protocol ?? "all";
  const attributes = request.attributes ?? {};
  const payload = readPayload(request.payload, {
    direction,
    protocol,
    attributes,
    is_foreign_body,
  });
  if (is_foreign_body && payload.respelled !== null) {
    throw new AppError("invalid_request", describeRespelled(payload.respelled));
  }
  payload.calls = payload.calls.filter(({ pointer }) => !incomplete.has(pointer));
  for (const part of unread) payload.uninspected.push(part);
  checkPayload(payload, assigned.batch);
  listEmbeddedBytes(payload);
  restoreLongIntegers(text, payload.segments);
  const extracted = assigned as ExtractedEvaluation;
  extracted.direction = direction;
  extracted.protocol = protocol;
  extracted.session_id = request.session_id ?? origin.request_id;
  extracted.payload = payload;
  return extracted;
}

/** Describes a member that another program may read as one of the API. It is not evaluated as such. */
const describeRespelled = (pointer: string): string =>
  `The name of the member ${pointer.slice(0, MAX_SHOWN_CHARACTERS)} is a name of the API in another spelling.`;
const MAX_SHOWN_CHARACTERS = 100;

function checkPayload(payload: Payload, batch: BatchTotals | undefined): void {
  const { segments, attachments } = payload;
  const texts = segments.reduce((count, { isNumber }) => (isNumber ? count : count + 1), 0);
  if (texts > MAX_TEXTS) {
    throw new AppError("too_large", `payload: contains more than ${MAX_TEXTS} texts.`);
  }
  checkPointers(payload, batch);
  const invalid = attachments.find(({ data, url }) => (data === null) === (url === null));
  if (!invalid) return;
  const text = `payload${invalid.pointer}: must have exactly one of data (base64) and url.`;
  throw new AppError("invalid_request", text);
}

/**
 * Rejects long member names above many values: their pointers are ropes, which take memory once they are searched. Adds
 * to the totals of the batch.
 */
export function checkPointers(
  payload: Payload,
  batch: Pick<BatchTotals, "pointers"> = { pointers: 0 },
): void {
  const { segments, values, ids, documents, uninspected, calls, definitions } = payload;
  const lists: readonly (readonly { pointer: string; inner?: string | null }[])[] = [
    ...[segments, values, ids ?? [], documents, uninspected, calls, definitions],
  ];
  for (const list of lists) {
    for (const { pointer, inner } of list) batch.pointers += pointer.length + (inner?.length ?? 0);
  }
  if (batch.pointers <= MAX_POINTER_CHARACTERS) return;
  throw new AppError("too_large", "payload: member names are too long in total. Shorten them.");
}
