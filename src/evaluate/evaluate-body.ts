/** Evaluates the requests of a body, step by step. Runs in the main thread and in workers. */
import type { Evaluation } from "../evaluation.ts";
import { createSemaphore } from "../lib/concurrency/semaphore.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import { rewritePayload } from "../policy/payload/rewrite-payload.ts";
import { MEDIUM_BYTES } from "../policy/run-rules.ts";
import { applyPolicy } from "./apply-policy.ts";
import { findApproval } from "./approvals/find-approval.ts";
import { requestApproval } from "./approvals/request-approval.ts";
import { extractTexts } from "./extract-texts.ts";
import { renderHookFailure } from "./hooks/render-hook.ts";
import { openAttachments, opensAttachments, skipAttachments } from "./open-attachments.ts";
import { parseBody } from "./parse-body.ts";
import { recordActivity, recordFailure } from "./record-activity.ts";
import { renderVerdict } from "./render-verdict.ts";
import { selectPolicy } from "./select-policy.ts";
import type {
  DecidedEvaluation,
  EvaluationBody,
  EvaluationInput,
  ExtractedEvaluation,
  OpenedEvaluation,
} from "./stages.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";
import { toClonedInput } from "./worker/messages.ts";
import { selectWorker } from "./worker/run-in-worker.ts";
import {
  type BodyTurn,
  createTurn,
  passTurn,
  runWithTurn,
  startInTurn,
  withoutTurn,
} from "./worker-turn.ts";

/** Returns the response body. */
export async function evaluateBody(host: EvaluationHost, body: EvaluationBody): Promise<string> {
  const parsed = parseBody(host, body); //                                400 JSON, schema
  if (!Array.isArray(parsed)) return await evaluateInput(host, parsed);
  const runOne = createBatchTurns(host, parsed.length);
  // Waits for all, also if one fails: a worker has no host for evaluations that run after their batch has ended.
  const ended = await Promise.allSettled(
    parsed.map((input) => runOne((batch) => evaluateInput(host, input, batch))),
  );
  const verdicts = ended.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
  return `[${verdicts.join(",")}]`;
}

interface Batch {
  turn: BodyTurn;
  /** Runs an evaluation whose texts are extracted, when it is its turn in the batch. `opens`: it reads documents. */
  runInTurn: <T>(opens: boolean, run: () => Promise<T>) => Promise<T>;
}

/** Evaluations of a batch without documents that run concurrently: remote detectors take most of their time. */
const MAX_CONCURRENT = 16;

/**
 * Returns a function that runs one evaluation of a batch. Evaluations with documents run one at a time, because each may
 * take 64 MiB and seconds, and a batch has 100. Other owners have their turn in between. Evaluations without documents
 * run last and a few at a time: their results would take memory while others have their turn.
 */
function createBatchTurns(host: EvaluationHost, size: number) {
  const turn = createTurn();
  const takeTurn = createSemaphore(1);
  const takePlace = createSemaphore(MAX_CONCURRENT);
  const { promise: documentsRead, resolve: endDocuments } = Promise.withResolvers<void>();
  /** Evaluations that are not extracted, or read documents and have not ended. */
  let pending = size;
  let isFirst = true;
  return (evaluateOne: (batch: Batch) => Promise<string>): Promise<string> => {
    let isPending = true;
    const leave = () => {
      if (isPending) pending -= 1;
      isPending = false;
      if (pending === 0) endDocuments();
    };
    const runInTurn: Batch["runInTurn"] = async (opens, run) => {
      if (!opens) {
        leave();
        await documentsRead;
        return await (host.worker ? takePlace(() => startInTurn(host, turn).then(run)) : run());
      }
      return await takeTurn(async () => {
        if (!isFirst) await passTurn(host, 0);
        isFirst = false;
        turn.began = elapsedMs();
        return await run();
      });
    };
    return evaluateOne({ turn, runInTurn }).finally(leave);
  };
}

async function evaluateInput(
  host: EvaluationHost,
  input: EvaluationInput,
  batch?: Batch,
): Promise<string> {
  try {
    const evaluation = await evaluate(host, input, batch);
    return renderVerdict(input, evaluation);
  } catch (thrown) {
    if (input.hook) return renderHookFailure(input.hook, thrown);
    throw thrown;
  }
}

/** Evaluates one request. */
export async function evaluate(
  host: EvaluationHost,
  input: EvaluationInput,
  batch?: Batch,
): Promise<Evaluation> {
  const started = elapsedMs();
  const selected = selectPolicy(host, input); //                          400 collector
  const assigned = selected instanceof Promise ? await selected : selected;
  const extracted = extractTexts(assigned); //                            400 attachment, 413 payload
  const opens = opensAttachments(extracted);
  // A small document can hold as much text as a large body, and a small body thousands of texts.
  const worker = opens ? "huge" : selectWorkerByTexts(extracted);
  if (worker && worker !== host.worker && host.worker !== "huge") {
    return await withoutTurn(host, 0, () => host.evaluateInWorker(worker, toClonedInput(input)));
  }
  if (batch) {
    const { turn } = batch;
    const run = () => decide(host, extracted, { opens, started, turn });
    return await batch.runInTurn(opens, run);
  }
  const turn = createTurn();
  return await decide(host, extracted, { opens, started, turn });
}

async function decide(
  host: EvaluationHost,
  extracted: ExtractedEvaluation,
  { opens, started, turn }: { opens: boolean; started: number; turn: BodyTurn },
): Promise<Evaluation> {
  let characters = 0;
  try {
    const opened = opens
      ? await openAttachments(host, extracted) //                         400 count, 500 budget
      : skipAttachments(extracted);
    if (host.worker) characters = countCharacters(opened);
    turn.characters += characters;
    const decideTexts = (inTurn: EvaluationHost) =>
      decideOpened(inTurn, opened, { opens, started });
    return await (host.worker ? runWithTurn(host, turn, decideTexts) : decideTexts(host));
  } catch (thrown) {
    await recordFailure(host, extracted, { thrown, latency_ms: msSince(started) });
    throw thrown;
  } finally {
    turn.characters -= characters;
  }
}

async function decideOpened(
  host: EvaluationHost,
  opened: OpenedEvaluation,
  { opens, started }: { opens: boolean; started: number },
): Promise<Evaluation> {
  const { approval_mode, text, size, is_foreign_body = false } = opened;
  const initial = approval_mode === "waived" ? "waived" : "none";
  let decided = await applyPolicy(host, opened, initial); //              500 detector
  if (decided.outcome.status === "ask") {
    // Again, because a gate that asks skips the detectors.
    if (await findApproval(host, decided)) decided = await applyPolicy(host, opened, "granted");
    decided = await requestApproval(host, decided); //                    413 names
  }
  const { changes } = decided.outcome;
  const transformed =
    changes.length > 0 ? rewritePayload(text, changes, { complete: is_foreign_body }) : null;
  // Text is masked for Activity by the detectors of secrets and personal data.
  if (opens || size > MEDIUM_BYTES) await host.waitForTurn(size);
  const latency_ms = msSince(started);
  await recordActivity(host, decided, latency_ms); //                     500 activity
  return { verdict: toVerdict(decided, latency_ms), transformed };
}

const countCharacters = ({ payload, opened }: OpenedEvaluation): number =>
  [...payload.segments, ...opened.segments].reduce((sum, { text }) => sum + text.length, 0);

/** Counts the evaluations of a batch together, because they run concurrently. */
function selectWorkerByTexts({ size, batch, payload: { segments } }: ExtractedEvaluation) {
  if (!batch) return selectWorker(size, segments.length);
  batch.bytes += size;
  batch.texts += segments.length;
  return selectWorker(batch.bytes, batch.texts);
}

function toVerdict(
  { outcome, program, origin }: DecidedEvaluation,
  latency_ms: number,
): Evaluation["verdict"] {
  const { status, findings, detectors } = outcome;
  const { trace_id, request_id } = origin;
  const policy = program ? { id: program.id, version: program.version, mode: program.mode } : null;
  return { status, findings, policy, detectors, latency_ms, trace_id, request_id };
}

const msSince = (started: number): number => Math.round((elapsedMs() - started) * 1000) / 1000;
