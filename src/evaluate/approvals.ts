/** What an `ask` verdict leaves to decide, and whether an evaluation presents a decision for exactly that. */
import type { EvaluateRequest, Finding } from "../contract/evaluate.ts";
import { type ApprovalRow, approvalTable } from "../db/approvals.ts";
import { takeTurn } from "../db/config-revision.ts";
import type { Db } from "../db/db.ts";
import { derivedKey } from "../lib/seal.ts";
import type { Program } from "../policy/compile-policy.ts";
import type { Backing } from "./backing.ts";
import { applicationOf, type Known, shortName } from "./facts.ts";

/** An hour is long for somebody who waits, and short for somebody who wants to use it twice. */
const LIFE_MS = 3_600_000;

/** Binds an approval to where it was asked, who acts and the whole payload: another amount is another matter. */
function fingerprintOf({ id }: Program, known: Known): string {
  const { collector, keyring, request, direction, payload } = known;
  const hash = new Bun.CryptoHasher("sha256", derivedKey(keyring(), "approvals"));
  const place = [collector.id, id, applicationOf(known), request.consumer_id ?? null, direction];
  hash.update(JSON.stringify(place));
  hash.update(JSON.stringify([payload.tool, unnumbered(request.payload)]));
  return hash.digest("hex");
}

/** Whoever asks again counts on: the number of a JSON-RPC message is no part of what it says. */
function unnumbered(payload: EvaluateRequest["payload"]): object {
  if (typeof payload.jsonrpc !== "string") return payload;
  const { id: _, ...message } = payload;
  return message;
}

/**
 * Whether somebody approved exactly this: by the id that `attributes.approval_id` presents, or by what is
 * asked alone where the caller cannot present one (`recalled`).
 */
export async function isApproved(
  backing: Backing,
  program: Program,
  known: Known,
  recalled: boolean,
): Promise<boolean> {
  const id = known.request.attributes?.approval_id;
  const presented = typeof id === "string";
  if (!presented && !(recalled && asks(program, known))) return false;
  const fingerprint = fingerprintOf(program, known);
  const approved = await backing.approved({ collector_id: known.collector.id, fingerprint });
  const now = backing.now().toISOString();
  return approved.some((row) => row.expires_at > now && (!presented || row.id === id));
}

const asks = ({ gates, rules }: Program, { direction }: Known): boolean =>
  [...gates, ...rules[direction]].some(({ action }) => action === "ask");

export async function askApproval(
  backing: Backing,
  program: Program,
  known: Known,
  { asking, event_id }: { asking: Finding; event_id: string },
): Promise<string | null> {
  const at = backing.now();
  const { source } = asking;
  const tool = known.payload.tool.name;
  return await backing.askApproval({
    id: backing.newId(),
    collector_id: known.collector.id,
    fingerprint: fingerprintOf(program, known),
    status: "pending",
    policy_id: program.id,
    policy_version: program.version,
    asked_by: source.gate_name ?? source.detector_name ?? "",
    consumer_id: known.request.consumer_id ?? null,
    session_id: known.request.session_id ?? null,
    application: applicationOf(known),
    tool: tool === null ? null : shortName(tool),
    event_id,
    note: null,
    decided_by: null,
    decided_at: null,
    expires_at: new Date(at.getTime() + LIFE_MS).toISOString(),
    created_at: at.toISOString(),
  });
}

/** The same question asked again before it is decided is the same approval. */
export async function openApproval(db: Db, row: ApprovalRow): Promise<string> {
  const { collector_id, fingerprint, status } = row;
  return await takeTurn(db, async (tx) => {
    const open = await approvalTable.find(tx, { collector_id, fingerprint, status });
    if (open && open.expires_at > row.created_at) return open.id;
    await approvalTable.insert(tx, row);
    return row.id;
  });
}
