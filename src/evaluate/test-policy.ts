/** Evaluates a sample with the saved version of a policy, for the Test tab. Nothing is recorded. */
import { AppError } from "../contract/errors.ts";
import { testPolicy } from "../contract/guard/evaluate.ts";
import { type Route, route } from "../route.ts";
import type { CollectorView } from "../snapshot/snapshot.ts";
import { evaluate } from "./evaluate-body.ts";
import { createHost } from "./worker/evaluation-host.ts";

/** A sample has no collector; conditions on its type read an empty text. */
const NO_COLLECTOR: CollectorView = {
  id: "00000000-0000-0000-0000-000000000000",
  name: "Test",
  type: "",
  gateway_id: null,
  collector_key: "",
  fail_mode: "closed",
  content_storage: "none",
  program: undefined,
  overrides: new Map(),
};

export const testPolicyRoute: Route = route(testPolicy, async (deps, call) => {
  const { policy_id } = call.params;
  const program = deps.snapshot().policies.get(policy_id);
  if (!program) throw new AppError("not_found", `Unknown policy "${policy_id}".`);
  const text = JSON.stringify(call.body);
  const host = createHost(deps, {
    kind: "collector",
    collector: { ...NO_COLLECTOR, program },
  });
  const { verdict, transformed } = await evaluate(host, {
    request: call.body,
    text,
    size: Buffer.byteLength(text),
    format: "internal",
    origin: { ...call, client_address: "", user_agent: null },
    recorded: false,
    approval_mode: "explicit",
  });
  return { ...verdict, transformed_payload: transformed === null ? null : JSON.parse(transformed) };
});
