/** What an `ask` verdict leaves to decide, and whether an evaluation presents a decision for exactly that. */
import type { EvaluateRequest, Finding } from "../contract/evaluate.ts";
import { type ApprovalRow, approvalTable } from "../db/approvals.ts";
import { takeTurn } from "../db/config-revision.ts";
import type { Deps } from "../deps.ts";
import { derivedKey } from "../lib/seal.ts";
import type { Program } from "../policy/compile-policy.ts";
import { applicationOf, type Known, shortName } from "./facts.ts";

/** An hour is long for somebody who waits, and short for somebody who wants to use it twice. */
const LIFE_MS = 3_600_000;

/** Binds an approval to where it was asked, who acts and the whole payload: another amount is another matter. */
function fingerprintOf(deps: Deps, { id }: Program, known: Known): string {
  const { collector, request, direction, payload } = known;
  const hash = new Bun.CryptoHasher("sha256", derivedKey(deps.keyring(), "approvals"));
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
  deps: Deps,
  program: Program,
  known: Known,
  recalled: boolean,
): Promise<boolean> {
  const id = known.request.attributes?.approval_id;
  const presented = typeof id === "string";
  if (!presented && !(recalled && asks(program, known))) return false;
  const fingerprint = fingerprintOf(deps, program, known);
  const place = { collector_id: known.collector.id, fingerprint, status: "approved" } as const;
  const approved = await approvalTable.all(deps.db, place);
  const now = deps.now().toISOString();
  return approved.some((row) => row.expires_at > now && (!presented || row.id === id));
}

const asks = ({ gates, rules }: Program, { direction }: Known): boolean =>
  [...gates, ...rules[direction]].some(({ action }) => action === "ask");

/** The same question asked again before it is decided is the same approval. */
export async function askApproval(
  deps: Deps,
  program: Program,
  known: Known,
  { asking, event_id }: { asking: Finding; event_id: string },
): Promise<string> {
  const fingerprint = fingerprintOf(deps, program, known);
  const at = deps.now();
  const place = { collector_id: known.collector.id, fingerprint, status: "pending" } as const;
  const { source } = asking;
  const tool = known.payload.tool.name;
  const row: ApprovalRow = {
    ...place,
    id: deps.newId(),
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
  };
  return await takeTurn(deps.db, async (tx) => {
    const open = await approvalTable.find(tx, place);
    if (open && open.expires_at > at.toISOString()) return open.id;
    await approvalTable.insert(tx, row);
    return row.id;
  });
}
