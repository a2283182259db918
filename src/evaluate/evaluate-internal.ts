/** Evaluates content inside the program, such as a tool call, by the policy of a collector. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import type { Evaluation, EvaluationContext, InternalEvaluation } from "../evaluation.ts";
import { evaluate } from "./evaluate-body.ts";
import type { Caller } from "./identify-caller.ts";
import { createHost, type MainHost } from "./worker/evaluation-host.ts";
import { type ClonedInput, restoreInput } from "./worker/messages.ts";
import { runInTurn, selectWorker } from "./worker/run-in-worker.ts";

/** Throws for a deleted collector. */
export const evaluateInternal = (deps: Deps, internal: InternalEvaluation): Promise<Evaluation> =>
  evaluateWithHost(deps, createInternalHost(deps, internal), internal);

/** Consumers that share a collector take turns at the workers. Rejects a deleted collector. */
export const createInternalHost = (deps: Deps, context: EvaluationContext): MainHost =>
  createHost(deps, identifyInternalCaller(deps, context), {
    owner: context.request.consumer_id,
    client: context.client,
  });

/** The host selects the policy. `minTurnBytes`: size that is counted for smaller content in the turns of its owner. */
export function evaluateWithHost(
  deps: Deps,
  host: MainHost,
  internal: InternalEvaluation,
  minTurnBytes = 0,
): Promise<Evaluation> {
  const { request, payload, text } = internal;
  const { trace_id, gateway_id, client_address, user_agent } = internal;
  const { is_foreign_body, recorded, on_ask, unread = [], covered = [] } = internal;
  const { incomplete_calls, system_prompt, pseudonym_scopes } = internal;
  const input: ClonedInput = {
    request,
    is_unchecked: payload === undefined,
    text: `{"payload":${text}}`,
    size: Buffer.byteLength(text),
    format: "internal",
    origin: {
      ...{ trace_id, gateway_id, client_address, user_agent, pseudonym_scopes },
      request_id: deps.newId(),
    },
    recorded,
    approval_mode: on_ask === "allow" ? "waived" : "implicit",
    is_foreign_body,
    unread,
    incomplete_calls,
    covered,
    system_prompt,
  };
  const worker = selectWorker(input.size);
  if (!worker) {
    const owner = request.consumer_id ?? internal.collector_id;
    const size = Math.max(input.size, minTurnBytes);
    const turn = { owner, size, client: internal.client };
    return runInTurn(deps, turn, () =>
      evaluate(
        host,
        payload ? { ...input, request: { ...request, payload } } : restoreInput(input),
      ),
    );
  }
  return host.evaluateInWorker(worker, input);
}

/** Rejects a deleted collector: content that must be evaluated and cannot be must not pass. */
function identifyInternalCaller(
  deps: Deps,
  { collector_id, credential_id }: Pick<EvaluationContext, "collector_id" | "credential_id">,
): Caller {
  const collector = deps.snapshot().collectors.get(collector_id);
  if (collector) return { kind: "collector", collector, credential_id };
  throw new AppError("detector_failed", "The collector of this gateway was deleted.");
}
