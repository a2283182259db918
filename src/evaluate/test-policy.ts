/** Evaluates a sample with a draft or the saved version of a policy, for the Test tab. Nothing is recorded. */
import { AppError } from "../contract/errors.ts";
import type { PolicyInput } from "../contract/guard/policies.ts";
import { type PolicyTestResult, testPolicy } from "../contract/guard/test-policy.ts";
import type { Deps } from "../deps.ts";
import { reserveBytes } from "../reserve-bytes.ts";
import { type Route, route } from "../route.ts";
import type { CollectorView } from "../snapshot/snapshot.ts";
import { compileDraft } from "./compile-draft.ts";
import { evaluateSample } from "./evaluate-sample.ts";
import type { EvaluationInput } from "./stages.ts";
import { createHost, type MainHost } from "./worker/evaluation-host.ts";
import { toClonedInput } from "./worker/messages.ts";
import { runInTurn, runInWorker, selectWorker } from "./worker/run-in-worker.ts";

/** A sample has no collector; conditions on its type read an empty text. */
const NO_COLLECTOR: CollectorView = {
  id: "00000000-0000-0000-0000-000000000000",
  name: "Test",
  type: "",
  gateway_id: null,
  collector_key: "",
  fail_mode: "closed",
  content_storage: "none",
  observe_until: 0,
  program: undefined,
  overrides: new Map(),
};

export const testPolicyRoute: Route = route(testPolicy, async (deps, call) => {
  const { policy_id } = call.params;
  const { draft, ...request } = call.body;
  const saved = deps.snapshot().policies.get(policy_id);
  if (!saved) throw new AppError("not_found", `Unknown policy "${policy_id}".`);
  const program = draft ? await compileDraft(deps, policy_id, draft) : saved();
  const owner = call.actor.id ?? "";
  const collector = { ...NO_COLLECTOR, program: () => program };
  const host = createHost(deps, { kind: "collector", collector }, { owner });
  const { trace_id, request_id } = call;
  const text = JSON.stringify(request);
  const input: EvaluationInput = {
    request,
    text,
    size: Buffer.byteLength(text),
    format: "internal",
    origin: { trace_id, request_id, client_address: "", user_agent: null },
    recorded: false,
    approval_mode: "explicit",
  };
  const result = await runSample(deps, { host, input, draft, owner });
  return JSON.parse(result) as PolicyTestResult; // written by evaluateSample
});

interface Sample {
  host: MainHost;
  input: EvaluationInput;
  draft: PolicyInput | null;
  owner: string;
}

/** Evaluates a large sample or draft in a worker, as other large evaluations, in turn with those of other owners. */
async function runSample(deps: Deps, { host, input, draft, owner }: Sample): Promise<string> {
  // The patterns of a draft are compiled on first use.
  const size = input.size + JSON.stringify(draft).length;
  const worker = selectWorker(size);
  if (!worker) {
    const turn = { owner, size, client: undefined };
    return await runInTurn(deps, turn, () => evaluateSample(host, input));
  }
  const { add, release } = reserveBytes(deps, owner);
  add(size);
  try {
    const task = { name: "sample" as const, input: toClonedInput(input) };
    return await runInWorker(deps, worker, { task, host, owner });
  } finally {
    release();
  }
}
