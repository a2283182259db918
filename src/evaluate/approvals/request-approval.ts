/** Requests the approval of an administrator for an evaluation whose verdict is `ask`. */
import type { Finding } from "../../contract/guard/evaluate.ts";
import { runExclusive } from "../../db/config-revision.ts";
import type { Db } from "../../db/db.ts";
import {
  type ApprovalRow,
  approvalContentTable,
  approvalTable,
  sealedContent,
} from "../../db/tables/approvals.ts";
import { seal } from "../../lib/crypto/seal.ts";
import { isEmptyObject } from "../../lib/json/json-object.ts";
import { escapePointerStep } from "../../lib/json/parse-strict.ts";
import { readPointer } from "../../lib/json/read-pointer.ts";
import type { CompiledPolicy } from "../../policy/compile-policy.ts";
import type { EncodeMasked } from "../../policy/masking/mask-for-storage.ts";
import type { Payload, ScalarValue } from "../../policy/payload/payload.ts";
import { readPayload } from "../../policy/payload/read-payload.ts";
import { restoreNumberLiterals } from "../../policy/payload/restore-numbers.ts";
import { readSchemas } from "../../policy/payload/tools.ts";
import type { Segment } from "../../policy/segment.ts";
import { createFacts, readApplication, truncateName } from "../create-facts.ts";
import { checkPointers } from "../extract-texts.ts";
import { selectApprovalContent } from "../select-content.ts";
import type { DecidedEvaluation } from "../stages.ts";
import type { EvaluationHost } from "../worker/evaluation-host.ts";
import {
  approvalFingerprint,
  createMaskEncoder,
  readShownFields,
  readToolAttributes,
} from "./approval-fingerprint.ts";

/** Long enough for a client that waits, and too short to reuse an approval on another day. */
const APPROVAL_LIFETIME_MS = 3_600_000;

/** Returns the evaluation with the approval's id in its `ask` findings; null when it could not be stored. */
export async function requestApproval(
  host: EvaluationHost,
  decided: DecidedEvaluation,
): Promise<DecidedEvaluation> {
  const { outcome, program, recorded, text, keyring, approval_mode, covered = [] } = decided;
  if (outcome.status !== "ask" || !program || !recorded) return decided;
  if (approval_mode === "delegated") return decided;
  const asking = outcome.findings.find(isAsking);
  if (!asking) return decided;
  const encode = createMaskEncoder(decided);
  const payload = withUnreadValues(decided, encode);
  const numbers = payload.segments.filter(({ isNumber }) => isNumber).map(toNumber);
  restoreNumberLiterals(text, [...payload.values, ...numbers]);
  const row = toApprovalRow(host, program, decided, asking);
  const attributes = [...readShownFields(decided), ...readToolAttributes(decided)].map(
    ([name, value]) => ({ pointer: `/attributes/${escapePointerStep(name)}`, text: value }),
  );
  const content = JSON.stringify(
    selectApprovalContent(payload, {
      hidden: outcome.hidden,
      attributes: [...covered, ...attributes],
      literals: new Map(numbers.map((number) => [number.segment, number.text])),
      encode,
    }),
  );
  const sealed = seal(keyring(), sealedContent(row.id), content);
  const approval_id = await host.requestApproval(row, sealed);
  const findings = outcome.findings.map((finding) =>
    isAsking(finding) ? { ...finding, evidence: { ...finding.evidence, approval_id } } : finding,
  );
  return Object.assign(decided, { outcome: { ...outcome, findings } });
}

/**
 * Returns the payload with what no detector reads as text, and is approved with it: ids, files, encoded bytes, schemas
 * and the encoding of decoded texts. A code distinguishes bytes and schemas, which are not shown themselves.
 */
function withUnreadValues(decided: DecidedEvaluation, encode: EncodeMasked): Payload {
  const { request, payload, direction, protocol, is_foreign_body = false } = decided;
  const { attributes = {} } = request;
  const about = { direction, protocol, attributes, is_foreign_body, lists_ids: true };
  const read = readPayload(request.payload, about);
  checkPointers(read, decided.batch);
  const { ids, dropped_values: dropped } = read;
  const isMessage = typeof request.payload.jsonrpc === "string";
  const named = (ids ?? []).filter((value) => !isMessage || !isCallMember(value));
  const files = payload.attachments.map(({ url, filename, content_type, data, pointer }) => ({
    ...toValue(pointer, [url ?? filename, content_type].filter(Boolean).join(", ") || "file"),
    ...(data !== null && { original: () => data }),
  }));
  const bytes = [
    ...named.filter(({ isBytes }) => isBytes),
    ...payload.documents.map(({ pointer }) => toValue(pointer, "document")),
    ...payload.segments.flatMap(toEncoding),
    ...payload.uninspected.map(({ pointer, reason }) => toValue(pointer, reason)),
  ].map((value) => ({ ...value, original: () => readPointer(request.payload, value.pointer) }));
  const schemas = payload.definitions
    .map(({ pointer }) => ({
      pointer,
      members: readSchemas(readPointer(request.payload, pointer)),
    }))
    .filter(({ members }) => !isEmptyObject(members))
    .map(({ pointer, members }) => ({ ...toValue(pointer, "schema"), original: () => members }));
  const unread: HiddenValue[] = [
    ...schemas,
    ...named.filter(({ isBytes }) => !isBytes),
    ...bytes,
    ...files,
  ];
  const shown = unread.slice(-MAX_UNREAD).map(createCodeWriter(encode));
  const dropped_values = dropped + unread.length - shown.length;
  return { ...payload, values: [...payload.values, ...shown], dropped_values };
}

/** Caps what an approver has to read. */
const MAX_UNREAD = 500;

/** The approval does not cover the id of a JSON-RPC message, and a call is shown by the name of its tool. */
const isCallMember = ({ pointer, text }: ScalarValue): boolean =>
  pointer === "/id" || pointer === "/jsonrpc" || (pointer === "/method" && text === "tools/call");

const toValue = (pointer: string, text: string): ScalarValue => ({
  text,
  role: null,
  pointer,
  inner: null,
});

/** Returns the encoding of text that an approver sees decoded: its media type may make it a page or a script. */
const toEncoding = ({ encoding, role, pointer, inner }: Segment): ScalarValue[] =>
  encoding ? [{ text: encoding.prefix || "base64", role, pointer, inner }] : [];

/** Returns a copy whose text becomes the literal, while the segment keeps the digits that detectors have read. */
const toNumber = (segment: Segment): ScalarValue & { segment: Segment } => {
  const { text, role, pointer, inner } = segment;
  return { text, role, pointer, inner, segment };
};

/** `original`: the value, if it is not shown itself, such as an image. */
type HiddenValue = ScalarValue & { original?: () => unknown };

/** Appends the code of the original to the text. Caches it by pointer: one string can contain a thousand files. */
function createCodeWriter(encode: EncodeMasked): (value: HiddenValue) => ScalarValue {
  const codes = new Map<string, string>();
  return ({ original, ...value }) => {
    if (!original) return value;
    const { pointer, text } = value;
    const code = codes.get(pointer) ?? encode(JSON.stringify(original() ?? null));
    codes.set(pointer, code);
    return { ...value, text: `${text}#${code}` };
  };
}

const isAsking = ({ outcome }: Finding): boolean => outcome.action === "ask";

function toApprovalRow(
  host: EvaluationHost,
  program: CompiledPolicy,
  decided: DecidedEvaluation,
  { source }: Finding,
): ApprovalRow {
  const { request, collector, payload, origin } = decided;
  const at = host.now();
  const tool = payload.tool.name;
  return {
    id: host.newId(),
    collector_id: collector.id,
    fingerprint: approvalFingerprint(program, decided),
    // Only the host knows it.
    requested_by: null,
    status: "pending",
    policy_id: program.id,
    policy_version: program.version,
    asked_by: source.gate_name ?? source.detector_name ?? "",
    consumer_id: request.consumer_id ?? null,
    session_id: request.session_id ?? null,
    application: readApplication(createFacts(decided)),
    tool: tool === null ? null : truncateName(tool),
    event_id: origin.request_id,
    note: null,
    decided_by: null,
    decided_at: null,
    expires_at: new Date(at.getTime() + APPROVAL_LIFETIME_MS).toISOString(),
    created_at: at.toISOString(),
  };
}

/** Inserts a pending approval, or returns the id of the sender's pending one with the same fingerprint. */
export async function openApproval(db: Db, row: ApprovalRow, content: string): Promise<string> {
  const { collector_id, fingerprint, requested_by, status } = row;
  return await runExclusive(db, async (tx) => {
    const open = await approvalTable.find(tx, { collector_id, fingerprint, requested_by, status });
    if (open && open.expires_at > row.created_at) return open.id;
    await approvalTable.insert(tx, row);
    await approvalContentTable.insert(tx, { id: row.id, content });
    return row.id;
  });
}
