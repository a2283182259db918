/** Judges a payload: read it, run the policy that applies, write down what was decided (spec 4.3). */
import { AppError } from "../contract/errors.ts";
import type {
  Direction,
  EvaluateRequest,
  Finding,
  Uninspected,
  Verdict,
} from "../contract/evaluate.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import type { CompiledPolicy } from "../policy/compile-policy.ts";
import type { Payload } from "../policy/payload/payload.ts";
import { readPayload } from "../policy/payload/read-payload.ts";
import { restoreLongIntegers, restoreNumberLiterals } from "../policy/payload/restore-numbers.ts";
import { rewritePayload } from "../policy/payload/rewrite-payload.ts";
import { type PolicyOutcome, runPolicy } from "../policy/run-policy.ts";
import { askApproval, isApproved } from "./approvals.ts";
import { createFacts, type Known } from "./create-facts.ts";
import { type ReadAttachments, readAttachments } from "./open-attachments.ts";
import { type Origin, recordActivity } from "./record-activity.ts";
import { createSessionPseudonyms } from "./session-pseudonyms.ts";
import type { EvaluationHost, PolicySelection } from "./worker/evaluation-host.ts";

export interface Asked {
  request: EvaluateRequest;
  /** The text that `request` was read from: what is not rewritten goes back byte for byte. */
  body: string;
  /** Bytes of the body. */
  size: number;
  origin: Origin;
  /** false: it leaves no event, and asks nobody. */
  recorded: boolean;
  /** Whether an approval counts that the caller does not present: one that has no place for it. */
  recalled: boolean;
}

export interface Judgment {
  verdict: Omit<Verdict, "transformed_payload">;
  /** JSON text of the rewritten payload. */
  transformed: string | null;
}

export async function evaluate(host: EvaluationHost, asked: Asked): Promise<Judgment> {
  const began = elapsedMs();
  const { gateway_id, collector_key, consumer_id } = asked.request;
  const choice = host.selectPolicy({ gateway_id, collector_key, consumer_id });
  const chosen = choice instanceof Promise ? await choice : choice;
  const { program, disabled } = chosen;
  const known = knownOf(chosen, asked);
  const opens = program !== undefined && opensFiles(program, known);
  if (opens && host.evaluateInWorker)
    return await host.evaluateInWorker(asked, chosen.collector.id);
  try {
    const outcome = program ? await judge(host, { program, disabled, known, asked }) : UNGUARDED;
    const transformed =
      outcome.changes.length > 0 ? rewritePayload(asked.body, outcome.changes) : null;
    const latency_ms = since(began);
    await record({ ...outcome, latency_ms });
    const { status, findings, detectors } = outcome;
    const { trace_id, request_id } = asked.origin;
    const policy = program
      ? { id: program.id, version: program.version, mode: program.mode }
      : null;
    return {
      verdict: { status, findings, policy, detectors, latency_ms, trace_id, request_id },
      transformed,
    };
  } catch (thrown) {
    const { code, details } = AppError.from(thrown);
    if (code === "detector_failed") {
      const { detector_id = "", detector_name = "", error = "" } = details;
      const failed = [{ detector_id, detector_name, error }];
      const detectors = { ...UNGUARDED.detectors, failed };
      await record({ ...UNGUARDED, detectors, status: "error", latency_ms: since(began) });
    }
    throw thrown;
  }

  function record(outcome: Parameters<typeof recordActivity>[1]["outcome"]) {
    const { recorded, origin } = asked;
    if (!recorded) return undefined;
    const stored = recordActivity(host, { known, program, outcome, origin });
    return chosen.collector.fail_mode === "open" ? stored.catch(passUnrecorded) : stored;
  }
}

/** A fail-open collector gets its verdict; the event waits in memory, and was counted. */
function passUnrecorded(thrown: unknown): void {
  if (AppError.from(thrown).code !== "activity_failed") throw thrown;
}

/** No policy applies: allowed, and said so by the missing policy (spec 3). */
const UNGUARDED: PolicyOutcome = {
  status: "allow",
  findings: [],
  changes: [],
  hidden: [],
  detectors: { run: 0, skipped: 0, failed: [], uninspected: [] },
};

function knownOf({ collector, keyring }: PolicySelection, { request, body, origin }: Asked): Known {
  const direction = request.direction ?? "input";
  const protocol = request.protocol ?? "all";
  const attributes = request.attributes ?? {};
  const payload = readPayload(request.payload, { direction, protocol, attributes });
  checkPayload(payload);
  restoreLongIntegers(body, payload.segments);
  const session_id = request.session_id ?? origin.request_id;
  return { collector, keyring, request, body, direction, protocol, session_id, payload };
}

/** Each text costs every detector a little: this many are no conversation. */
const MAX_TEXTS = 50_000;
/** A name of a megabyte above ten thousand texts is in the pointer of each of them. */
const MAX_POINTERS = 64 * 1024 * 1024;

function checkPayload({ segments, attachments }: Payload): void {
  if (segments.filter(({ isNumber }) => !isNumber).length > MAX_TEXTS) {
    throw new AppError("too_large", `payload: holds more than ${MAX_TEXTS} texts.`);
  }
  const pointers = segments.reduce(
    (sum, { pointer, inner }) => sum + pointer.length + (inner?.length ?? 0),
    0,
  );
  if (pointers > MAX_POINTERS) {
    throw new AppError("too_large", "payload: its members have names that are too long.");
  }
  const wrong = attachments.find(({ data, url }) => (data === null) === (url === null));
  if (!wrong) return;
  const text = `payload${wrong.pointer}: an attachment holds either data (base64) or url.`;
  throw new AppError("invalid_request", text);
}

interface Judging {
  program: CompiledPolicy;
  disabled: ReadonlySet<string>;
  known: Known;
  asked: Asked;
}

async function judge(
  host: EvaluationHost,
  { program, disabled, known, asked }: Judging,
): Promise<PolicyOutcome> {
  const { collector, keyring, direction, protocol, session_id, payload } = known;
  const names = createSessionPseudonyms(host, keyring, { collector_id: collector.id, session_id });
  const read = opensFiles(program, known)
    ? await readAttachments(host, payload)
    : notOpened(payload);
  if (collector.fail_mode === "closed") refuseOverBudget(program, direction, read.uninspected);
  const outcome = await runPolicy(program, {
    direction,
    segments: read.segments.length ? [...payload.segments, ...read.segments] : payload.segments,
    facts: createFacts(known),
    context: {
      direction,
      protocol,
      calls: payload.calls,
      definitions: payload.definitions,
      attachments: read.attachments,
      uninspected: [...payload.uninspected, ...read.uninspected],
      payload_bytes: asked.size,
      services: { post: host.post, ask: host.ask, restore: names.restore },
    },
    disabled,
    approved: await isApproved(host, program, known, asked.recalled),
    fail_mode: collector.fail_mode,
    createPseudonym: names.pseudonymFor,
  });
  await names.save();
  if (outcome.status !== "ask" || !asked.recorded) return outcome;
  const asking = outcome.findings.find(isAsking);
  if (!asking) return outcome;
  restoreNumberLiterals(asked.body, payload.values);
  const event_id = asked.origin.request_id;
  const { hidden } = outcome;
  const approval_id = await askApproval(host, program, known, { asking, hidden, event_id });
  const findings = outcome.findings.map((finding) =>
    isAsking(finding) ? { ...finding, evidence: { ...finding.evidence, approval_id } } : finding,
  );
  return { ...outcome, findings };
}

const opensFiles = ({ rules }: CompiledPolicy, { direction, payload }: Known): boolean =>
  (payload.attachments.length > 0 || payload.documents.length > 0) &&
  rules[direction].some(({ reads }) => reads.has("attachment"));

/** No rule of the policy reads attachments. */
const notOpened = ({ attachments, documents }: Payload): ReadAttachments => ({
  segments: [],
  attachments: [],
  uninspected: [...attachments, ...documents].map(({ pointer }) => ({
    pointer,
    reason: "not_opened",
  })),
});

/** What takes more than one evaluation may use was not inspected: the fail mode decides, as for a detector. */
function refuseOverBudget(
  { rules }: CompiledPolicy,
  direction: Direction,
  uninspected: readonly Uninspected[],
): void {
  const over = uninspected.find(({ reason }) => reason === "over_budget");
  const reader = rules[direction].find(({ reads }) => reads.has("attachment"));
  if (!over || !reader) return;
  const { id: detector_id, name: detector_name } = reader.detector;
  const text = `Documents exceed what one evaluation may use, and this collector is fail-closed: ${over.detail}`;
  const details = { detector_id, detector_name, error: over.detail ?? over.reason };
  throw new AppError("detector_failed", text, { details });
}

const isAsking = ({ outcome }: Finding): boolean => outcome.action === "ask";

const since = (began: number): number => Math.round((elapsedMs() - began) * 1000) / 1000;
