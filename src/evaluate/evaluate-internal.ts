/** An evaluation that comes from inside the program, such as of a tool call on its way to a server. */
import { AppError } from "../contract/errors.ts";
import type { Verdict } from "../contract/evaluate.ts";
import type { Deps, InternalEvaluation } from "../deps.ts";
import { answerAnywhere } from "./answer-anywhere.ts";
import { createHost } from "./worker/evaluation-host.ts";

export async function evaluateInternal(deps: Deps, asked: InternalEvaluation): Promise<Verdict> {
  const { collector_id, request, ...origin } = asked;
  const collector = deps.snapshot().collectors.get(collector_id);
  // What should be judged and cannot be must not pass.
  if (!collector) throw new AppError("detector_failed", "The collector of this gateway is gone.");
  const text = await answerAnywhere(
    deps,
    createHost(deps, () => ({ collector })),
    {
      bytes: Buffer.from(JSON.stringify(request)),
      style: "inside",
      origin: { ...origin, request_id: deps.newId() },
      recorded: true,
      recalled: true,
      owner: collector_id,
    },
  );
  return JSON.parse(text);
}
