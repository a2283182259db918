/** An evaluation that comes from inside the program, such as of a tool call on its way to a server. */
import { AppError } from "../contract/errors.ts";
import type { Verdict } from "../contract/evaluate.ts";
import type { Deps, InsideEvaluation } from "../deps.ts";
import { evaluate } from "./evaluate.ts";

export async function evaluateInside(deps: Deps, asked: InsideEvaluation): Promise<Verdict> {
  const { collector_id, request, ...origin } = asked;
  const collector = deps.snapshot().collectors.get(collector_id);
  // What should be judged and cannot be must not pass.
  if (!collector) throw new AppError("detector_failed", "The collector of this gateway is gone.");
  const body = JSON.stringify(request);
  const { verdict, transformed } = await evaluate(deps, {
    collector,
    request,
    body,
    size: body.length,
    origin: { ...origin, request_id: deps.newId() },
    recorded: true,
    recalled: true,
  });
  return { ...verdict, transformed_payload: transformed === null ? null : JSON.parse(transformed) };
}
