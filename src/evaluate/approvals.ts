/** What an `ask` verdict leaves to decide, and whether an evaluation presents a decision for exactly that. */
import { CONDITION_FIELDS } from "../contract/conditions.ts";
import type { Finding } from "../contract/evaluate.ts";
import {
  type ApprovalRow,
  approvalContentTable,
  approvalTable,
  sealedContent,
} from "../db/approvals.ts";
import { runExclusive } from "../db/config-revision.ts";
import type { Db } from "../db/db.ts";
import { derivedKey, seal } from "../lib/crypto/seal.ts";
import { escapePointerStep } from "../lib/json/parse-strict.ts";
import { compactJson, readMemberTexts, skipBlank } from "../lib/json/source-text.ts";
import type { CompiledPolicy } from "../policy/compile-policy.ts";
import type { PolicyOutcome } from "../policy/run-policy.ts";
import { createFacts, type Known, readApplication, truncateName } from "./create-facts.ts";
import { selectApprovalContent } from "./select-content.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

/** An hour is long for somebody who waits, and short for somebody who wants to use it twice. */
const LIFE_MS = 3_600_000;

/**
 * Binds an approval to the policy, to everything that its conditions can read, and to the payload and tool
 * attributes as they were written: a parsed number is rounded, and would cover its neighbors too.
 */
function fingerprintOf({ id }: CompiledPolicy, known: Known): string {
  const { keyring, request } = known;
  const hash = new Bun.CryptoHasher("sha256", derivedKey(keyring(), "approvals"));
  const fact = createFacts(known);
  const scope = [id, ...BOUND_FIELDS.map((field) => fact(field) ?? null)];
  const members = membersOf(known);
  const payload = readMemberTexts(members.get("payload") ?? "{}", 0);
  // A client that repeats a JSON-RPC message gives it a new id.
  if (typeof request.payload.jsonrpc === "string") payload.delete("id");
  hash.update(JSON.stringify([scope, compacted(payload), toolAttributes(members)]));
  return hash.digest("hex");
}

const membersOf = ({ body }: Known) => readMemberTexts(body, skipBlank(body, 0));

/** Returns the attributes that describe the tool, as they were written. */
function toolAttributes(members: ReadonlyMap<string, string>): [name: string, text: string][] {
  const attributes = readMemberTexts(members.get("attributes") ?? "{}", 0);
  return compacted(attributes).filter(([name]) => name === "tool" || name.startsWith("tool."));
}

/** The session of a repeated call may be another one; of a tool, the text is bound. */
const BOUND_FIELDS = CONDITION_FIELDS.filter((field) => !/^(session|tool)\./.test(field));

const compacted = (members: Iterable<[string, string]>): [string, string][] =>
  Array.from(members, ([name, text]) => [name, compactJson(text)]);

/**
 * Whether somebody approved exactly this: by the id that `attributes.approval_id` presents, or by what is
 * asked alone where the caller cannot present one (`recalled`).
 */
export async function isApproved(
  host: EvaluationHost,
  program: CompiledPolicy,
  known: Known,
  recalled: boolean,
): Promise<boolean> {
  const id = known.request.attributes?.approval_id;
  const presented = typeof id === "string";
  if (!presented && !(recalled && asks(program, known))) return false;
  const fingerprint = fingerprintOf(program, known);
  const approved = await host.findApproved({ collector_id: known.collector.id, fingerprint });
  const now = host.now().toISOString();
  return approved.some((row) => row.expires_at > now && (!presented || row.id === id));
}

const asks = ({ gates, rules }: CompiledPolicy, { direction }: Known): boolean =>
  [...gates, ...rules[direction]].some(({ action }) => action === "ask");

export async function askApproval(
  host: EvaluationHost,
  program: CompiledPolicy,
  known: Known,
  {
    asking,
    hidden,
    event_id,
  }: { asking: Finding; hidden: PolicyOutcome["hidden"]; event_id: string },
): Promise<string | null> {
  const at = host.now();
  const { source } = asking;
  const tool = known.payload.tool.name;
  const attributes = toolAttributes(membersOf(known)).map(([name, text]) => ({
    pointer: `/attributes/${escapePointerStep(name)}`,
    text,
  }));
  const content = JSON.stringify(selectApprovalContent(known.payload, hidden, attributes));
  const row: ApprovalRow = {
    id: host.newId(),
    collector_id: known.collector.id,
    fingerprint: fingerprintOf(program, known),
    status: "pending",
    policy_id: program.id,
    policy_version: program.version,
    asked_by: source.gate_name ?? source.detector_name ?? "",
    consumer_id: known.request.consumer_id ?? null,
    session_id: known.request.session_id ?? null,
    application: readApplication(known),
    tool: tool === null ? null : truncateName(tool),
    event_id,
    note: null,
    decided_by: null,
    decided_at: null,
    expires_at: new Date(at.getTime() + LIFE_MS).toISOString(),
    created_at: at.toISOString(),
  };
  return await host.requestApproval(row, seal(known.keyring(), sealedContent(row.id), content));
}

/** Inserts a pending approval, or returns the id of the pending one with the same fingerprint. */
export async function openApproval(db: Db, row: ApprovalRow, content: string): Promise<string> {
  const { collector_id, fingerprint, status } = row;
  return await runExclusive(db, async (tx) => {
    const open = await approvalTable.find(tx, { collector_id, fingerprint, status });
    if (open && open.expires_at > row.created_at) return open.id;
    await approvalTable.insert(tx, row);
    await approvalContentTable.insert(tx, { id: row.id, content });
    return row.id;
  });
}
