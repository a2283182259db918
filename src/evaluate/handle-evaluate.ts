/** Handles an evaluation from its HTTP request to its response. Each step needs the result of the step above it. */
import type { Deps } from "../deps.ts";
import type { DirectCall } from "../route.ts";
import { createResponse } from "./create-response.ts";
import { evaluateBody } from "./evaluate-body.ts";
import { evaluateOnce } from "./evaluate-once.ts";
import { identifyCaller, ownerOf, readSecret } from "./identify-caller.ts";
import { receiveBody } from "./receive-body.ts";
import type { EvaluationFormat, ReceivedCall } from "./stages.ts";
import { createHost } from "./worker/evaluation-host.ts";
import { runInTurn, runInWorker, selectWorker } from "./worker/run-in-worker.ts";

/** Handles a call of `/v1/evaluate`, `/v1/guard`, the batch endpoint, the LiteLLM endpoint or a hook endpoint. */
export async function handleEvaluate(
  deps: Deps,
  call: DirectCall,
  format: EvaluationFormat,
): Promise<Response> {
  const caller = identifyCaller(deps, readSecret(call.request, format)); // 401, 403 key
  using received = await receiveBody(deps, { call, format, caller }); //    408, 413, 429 in flight
  const text = await evaluateOnce(deps, received, () => runEvaluation(deps, received)); // 400 reused key
  return createResponse(deps, received, text);
}

/** Evaluates a body in this thread, or in a worker when it is large. */
function runEvaluation(
  deps: Deps,
  { call: { request }, caller, body }: ReceivedCall,
): Promise<string> {
  // A repeat with the same Idempotency-Key shares the result.
  const client = request.headers.has("idempotency-key") ? undefined : request;
  const host = createHost(deps, caller, { client });
  const owner = ownerOf(caller);
  const size = body.bytes.length;
  const worker = selectWorker(size);
  if (worker) {
    const task = { name: "body" as const, input: body };
    return runInWorker(deps, worker, { task, host, owner, signal: client?.signal }); // 429, 503
  }
  return runInTurn(deps, { owner, size, client }, () => evaluateBody(host, body));
}
