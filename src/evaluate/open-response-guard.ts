/** Prepares the evaluation of a response that arrives in parts, by the policy of a collector. */
import type { Deps } from "../deps.ts";
import type { EvaluationContext, ResponseGuard, TextStream } from "../evaluation.ts";
import type { WorkMeter } from "../lib/concurrency/fair-turns.ts";
import type { InspectionContext } from "../policy/detector.ts";
import { readPayload } from "../policy/payload/read-payload.ts";
import { selectStreamRules } from "../policy/stream/select-stream-rules.ts";
import { createTextStream, type StreamRule } from "../policy/stream/text-stream.ts";
import { createDetectorServices } from "./create-detector-services.ts";
import { createFacts } from "./create-facts.ts";
import { createInternalHost, evaluateWithHost } from "./evaluate-internal.ts";
import { createExemptionCheck } from "./match-fingerprint.ts";
import { createSessionPseudonyms } from "./session-pseudonyms.ts";

/** One stream may have thousands of small events, which together would block the event loop. */
const MIN_TURN_BYTES = 1024;

/** Throws if the collector was deleted. `work` counts the time of the inspections. */
export function openResponseGuard(
  deps: Deps,
  context: EvaluationContext,
  work: WorkMeter,
): ResponseGuard {
  const { trace_id } = context;
  const request = { ...context.request, payload: {} };
  const host = createInternalHost(deps, context);
  const selection = host.selectPolicy(request);
  // One policy for the whole stream: a new one could not change what was sent.
  host.selectPolicy = () => selection;
  const evaluate: ResponseGuard["evaluate"] = (content) =>
    evaluateWithHost(deps, host, content, MIN_TURN_BYTES);
  const { collector, program, disabled, exemptions, keyring } = selection;
  if (!program) return { evaluate, openText: passAll };
  const protocol = request.protocol ?? "all";
  const session_id = request.session_id ?? trace_id;
  const attributes = request.attributes ?? {};
  const payload = readPayload({}, { direction: "output", protocol, attributes });
  const facts = createFacts({
    collector,
    request,
    payload,
    session_id,
    protocol,
    direction: "output",
  });
  const { needs_whole, rules } = selectStreamRules(program, facts, disabled);
  if (needs_whole) return { evaluate, openText: undefined };
  if (rules.length === 0) return { evaluate, openText: passAll };

  const session = {
    collector_id: collector.id,
    scopes: context.pseudonym_scopes ?? [session_id],
  };
  const pseudonyms = createSessionPseudonyms(host, keyring, session);
  const inspection: InspectionContext = {
    direction: "output",
    protocol,
    calls: [],
    definitions: [],
    attachments: [],
    uninspected: [],
    payload_bytes: 0,
    system_prompt: context.system_prompt ?? [],
    services: createDetectorServices(host, pseudonyms.restore, addNoRisk),
  };
  const isExempt = createExemptionCheck(exemptions, { keyring, now: host.now });
  const tolerant = collector.fail_mode === "open" ? rules.map(ignoreFailures) : rules;
  return {
    evaluate,
    openText: (pointer) =>
      createTextStream(tolerant, {
        pointer,
        context: inspection,
        // The evaluation of the complete response creates the same pseudonyms, and stores them.
        createPseudonym: pseudonyms.pseudonymFor,
        isExempt,
        work,
      }),
  };
}

/** Only input has risk. */
const addNoRisk = () => Promise.resolve(undefined);

/** The evaluation of the complete response records the failure. */
const ignoreFailures = (rule: StreamRule): StreamRule => ({
  ...rule,
  inspect: async (texts, context) => {
    try {
      return await rule.inspect(texts, context);
    } catch {
      return [];
    }
  },
});

const passAll = (): TextStream => ({
  push: (text) => ({ text, blocked: false }),
  end: () => ({ text: "", blocked: false }),
});
