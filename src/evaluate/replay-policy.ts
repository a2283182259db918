/** Replays recorded events against a draft of a policy, in a worker. Writes nothing and makes no outbound calls. */

import { AppError } from "../contract/errors.ts";
import type { Status } from "../contract/guard/actions.ts";
import type { ActivityFilters, EvaluationEvent, StoredText } from "../contract/guard/activity.ts";
import type { Mode } from "../contract/guard/policies.ts";
import { type ReplayReport, replayPolicy } from "../contract/guard/replay.ts";
import { findContent } from "../db/tables/evaluation-events.ts";
import { pageEvaluations } from "../db/tables/find-evaluations.ts";
import { policyVersionTable } from "../db/tables/policies.ts";
import type { Deps } from "../deps.ts";
import type { CompiledPolicy } from "../policy/compile-policy.ts";
import { type Route, route } from "../route.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { type ReadTurn, takeTurnToRead } from "../take-turn.ts";
import { compileDraft, compileVersion } from "./compile-draft.ts";
import type { ReplayedPolicy } from "./replay-event.ts";
import { isTruncated } from "./select-content.ts";
import { createWindowService, runInWorker } from "./worker/run-in-worker.ts";

type SkipReason = ReplayReport["skips"][number]["reason"];

/** Events that are read in one turn of the event loop. */
const PAGE_SIZE = 200;

export const replayRoute: Route = route(replayPolicy, async (deps, call) => {
  const { params, body, client } = call;
  const turn = { owner: call.actor.id ?? "", client };
  const { draft, limit, from, to, collector_id } = body;
  const saved = deps.snapshot().policies.get(params.policy_id);
  if (!saved) throw new AppError("not_found", `Unknown policy "${params.policy_id}".`);
  const program = draft ? await compileDraft(deps, params.policy_id, draft) : saved();
  const policy = toReplayed(program);
  const report: ReplayReport = {
    evaluated: 0,
    skipped: 0,
    skips: [],
    changes: [],
    transitions: {},
  };
  const replay = (replayed: ReplayedPolicy, event: RecordedEvent) =>
    replayEvent(deps, replayed, event, turn);
  const reproduces = createReproductionCheck(deps, replay);
  const query = { filters: { from, to, collector_id }, limit, turn };
  for await (const event of readEvents(deps, query)) {
    await takeTurnToRead(deps, turn);
    const { id: event_id, time, direction, status: before } = event;
    const skip = (reason: SkipReason) => {
      report.skipped += 1;
      report.skips.push({ event_id, time, direction, before, reason });
    };
    const content = await findContent(deps.db, event_id);
    const reason = findSkipReason(event, content);
    if (reason || !content) {
      skip(reason ?? "not_stored");
      continue;
    }
    const replayed = { event, content, ...currentExceptions(deps) };
    const after = await replay(policy, replayed);
    if (after !== before && !(await reproduces(event, content))) {
      skip("not_reproducible");
      continue;
    }
    report.evaluated += 1;
    if (after === before) continue;
    report.changes.push({ event_id, time, direction, before, after });
    const transition = `${before}→${after}`;
    report.transitions[transition] = (report.transitions[transition] ?? 0) + 1;
  }
  return report;
});

/** Reads a page at a time, newest first. */
async function* readEvents(
  deps: Deps,
  { filters, limit, turn }: { filters: ActivityFilters; limit: number; turn: ReadTurn },
): AsyncGenerator<EvaluationEvent> {
  let after: string | undefined;
  for (let left = limit; left > 0; ) {
    await takeTurnToRead(deps, turn);
    const page = { filters, limit: Math.min(left, PAGE_SIZE), after, order: "newest" } as const;
    const { items, next } = await pageEvaluations(deps.db, page);
    yield* items;
    if (next === null) return;
    left -= items.length;
    after = next;
  }
}

/** Returns why the stored content differs from the evaluated one, or undefined if it is complete. */
function findSkipReason(
  { status, content_storage }: EvaluationEvent,
  content: readonly StoredText[] | null,
): SkipReason | undefined {
  if (!content) return "not_stored";
  if (status === "error") return "no_verdict";
  // Earlier releases stored masks without marking the text.
  const isMasked = ({ masked, text }: StoredText) => masked || text.includes("[MASKED_");
  if (content_storage === "masked" && content.some(isMasked)) return "masked";
  return isTruncated(content) ? "truncated" : undefined;
}

/**
 * Returns a function that checks whether the applied version of the policy gives the recorded verdict again. Otherwise
 * the verdict depends on something that is not stored, and a difference says nothing about the replayed policy.
 */
function createReproductionCheck(
  deps: Deps,
  replay: (policy: ReplayedPolicy, event: RecordedEvent) => Promise<Status>,
) {
  const compiled = new Map<string, Promise<ReplayedPolicy | undefined>>();
  const findVersion = (policy_id: string, number: number, mode: Mode | null) => {
    const key = `${policy_id} ${number} ${mode}`;
    const found = compiled.get(key) ?? readVersion(deps, policy_id, number, mode);
    compiled.set(key, found);
    return found;
  };
  return async (event: EvaluationEvent, content: readonly StoredText[]): Promise<boolean> => {
    const { policy_id, policy_version, policy_mode, status } = event;
    if (policy_id === null || policy_version === null) return status === "allow";
    const version = await findVersion(policy_id, policy_version, policy_mode);
    // A deleted policy: the recorded verdict cannot be checked.
    if (!version) return true;
    // Exemptions and disabled detectors may have changed since.
    for (const exceptions of [currentExceptions(deps), NO_EXCEPTIONS]) {
      const verdict = await replay(version, { event, content, ...exceptions });
      if (verdict === status) return true;
    }
    return false;
  };
}

async function readVersion(
  deps: Deps,
  policy_id: string,
  number: number,
  mode: Mode | null,
): Promise<ReplayedPolicy | undefined> {
  const row = await policyVersionTable.find(deps.db, { policy_id, number });
  // The collector may have observed.
  const document = row && { ...row.document, mode: mode ?? row.document.mode };
  return document && toReplayed(compileVersion(deps, document, { id: policy_id, version: number }));
}

/** Exceptions from a policy, which change verdicts. */
type Exceptions = Pick<Snapshot, "disabledDetectors" | "exemptions">;

const currentExceptions = (deps: Deps): Exceptions => deps.snapshot();
const NO_EXCEPTIONS: Exceptions = { disabledDetectors: new Set(), exemptions: new Map() };

/** An event with its text, and the exceptions to apply. */
type RecordedEvent = Exceptions & { event: EvaluationEvent; content: readonly StoredText[] };

/** In a worker: gates and detectors of a draft take seconds for one long text. */
function replayEvent(
  deps: Deps,
  policy: ReplayedPolicy,
  { event, content, disabledDetectors: disabled, exemptions }: RecordedEvent,
  { owner, client }: ReadTurn,
): Promise<Status> {
  const input = {
    policy,
    event,
    content,
    disabled,
    exemptions: exemptions.get(policy.id),
    keyring: deps.keyring(),
  };
  const host = { scoreWindows: createWindowService(deps, { owner }) };
  const task = { name: "replay" as const, input };
  return runInWorker(deps, "replays", { task, host, owner, signal: client?.signal });
}

const toReplayed = ({ id, version, document }: CompiledPolicy): ReplayedPolicy => ({
  id,
  version,
  text: JSON.stringify(document),
});
