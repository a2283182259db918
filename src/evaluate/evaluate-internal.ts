/** Evaluates content inside the program, such as a tool call, by the policy of a collector. */
import { AppError } from "../contract/errors.ts";
import type { Verdict } from "../contract/evaluate.ts";
import type { Deps, InternalEvaluation } from "../deps.ts";
import { runEvaluation } from "./handle-evaluate.ts";
import type { Caller } from "./identify-caller.ts";
import type { EvaluationBody } from "./stages.ts";

export async function evaluateInternal(deps: Deps, internal: InternalEvaluation): Promise<Verdict> {
  const { collector_id, request, ...origin } = internal;
  const collector = deps.snapshot().collectors.get(collector_id);
  // Content that must be evaluated and cannot be must not pass.
  if (!collector)
    throw new AppError("detector_failed", "The collector of this gateway was deleted.");
  const body: EvaluationBody = {
    bytes: Buffer.from(JSON.stringify(request)),
    format: "internal",
    origin: { ...origin, request_id: deps.newId() },
    recorded: true,
    implicit_approval: true,
  };
  const caller: Caller = { kind: "collector", collector };
  return JSON.parse(await runEvaluation(deps, { caller, body }));
}
