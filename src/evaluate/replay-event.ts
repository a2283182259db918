/** Evaluates a recorded event with a policy again. Runs in workers; makes no outbound calls and records nothing. */
import { AppError } from "../contract/errors.ts";
import type { Status } from "../contract/guard/actions.ts";
import type { EvaluationEvent, StoredText } from "../contract/guard/activity.ts";
import type { Keyring } from "../lib/crypto/seal.ts";
import { createLruCache } from "../lib/lru-cache.ts";
import { type CompiledPolicy, compilePolicy } from "../policy/compile-policy.ts";
import type { FactLookup } from "../policy/condition.ts";
import type { DetectorServices } from "../policy/detector.ts";
import { splitByAuthor } from "../policy/payload/client-wrappers.ts";
import { readSystemPrompt } from "../policy/payload/system-prompt.ts";
import { runPolicy } from "../policy/run-policy.ts";
import type { Exemptions } from "../snapshot/snapshot.ts";
import { learnedModels } from "./learned-models.ts";
import { createExemptionCheck } from "./match-fingerprint.ts";
import { restorePayload } from "./select-content.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

/** Policy in a message to a worker. */
export interface ReplayedPolicy {
  id: string;
  version: number;
  /** The document as JSON: cloning it for every event would block the main thread for longer. */
  text: string;
}

export interface ReplayedEvent {
  policy: ReplayedPolicy;
  event: EvaluationEvent;
  content: readonly StoredText[];
  /** Ids of disabled detectors. */
  disabled: ReadonlySet<string>;
  exemptions: Exemptions | undefined;
  keyring: Keyring;
}

export async function replayEvent(
  { scoreWindows, now }: Pick<EvaluationHost, "scoreWindows" | "now">,
  { policy, event, content, disabled, exemptions, keyring }: ReplayedEvent,
): Promise<Status> {
  const { direction, protocol } = event;
  const { segments, ...payload } = restorePayload(content);
  const { status } = await runPolicy(compile(policy), {
    direction,
    segments,
    parts: splitByAuthor(segments, event.user_agent),
    facts: createEventFacts(event),
    context: {
      direction,
      protocol,
      ...payload,
      attachments: [],
      uninspected: [],
      system_prompt: readSystemPrompt(segments),
      services: { ...NO_SERVICES, scoreWindows },
    },
    disabled,
    approval: "none",
    fail_mode: "open",
    createPseudonym: (label) => label,
    waitForTurn: () => new Promise(setImmediate),
    isPartOfLargeBody: false,
    // A detector that makes a call fails by design.
    logFailure: () => {},
    isExempt: createExemptionCheck(exemptions, { keyring: () => keyring, now }),
  });
  return status;
}

/** The replayed policy, and the versions that were applied to the events. */
const programs = createLruCache<CompiledPolicy>(4);

function compile({ id, version, text }: ReplayedPolicy): CompiledPolicy {
  // With the text, because all drafts have the same version.
  const key = `${id}:${version}:${text}`;
  const cached = programs.get(key);
  if (cached) return cached;
  const program = compilePolicy(JSON.parse(text), { id, version }, (secret) => secret);
  programs.set(key, program);
  return program;
}

function createEventFacts(event: EvaluationEvent): FactLookup {
  const fields: Record<string, unknown> = {
    "consumer.id": event.consumer_id,
    "session.id": event.session_id,
    "collector.id": event.collector_id,
    direction: event.direction,
    protocol: event.protocol,
    "tool.name": event.tool,
    "model.name": event.model,
  };
  return (field) => fields[field] ?? event.attributes[field];
}

const rejectCall = async () => {
  throw new AppError("unavailable", "A replay makes no outbound calls.");
};
const NO_SERVICES: Omit<DetectorServices, "scoreWindows"> = {
  post: rejectCall,
  ask: rejectCall,
  addRisk: () => Promise.resolve(undefined),
  restore: rejectCall,
  ...learnedModels,
};
