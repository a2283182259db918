/** The Test tab of a policy: the last saved version judges a sample, and nothing is written down (spec 4.3.6). */
import { AppError } from "../contract/errors.ts";
import { testPolicy } from "../contract/evaluate.ts";
import { type Route, route } from "../route.ts";
import type { CollectorView } from "../snapshot/snapshot.ts";
import { evaluate } from "./evaluate.ts";
import { createHost } from "./worker/evaluation-host.ts";

/** A sample comes from no collector; conditions on it see empty texts. */
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
  if (!program) throw new AppError("not_found", `There is no policy with the id ${policy_id}.`);
  const body = JSON.stringify(call.body);
  const host = createHost(deps, () => ({ collector: NO_COLLECTOR, program }));
  const { verdict, transformed } = await evaluate(host, {
    request: call.body,
    body,
    size: Buffer.byteLength(body),
    origin: { ...call, client_address: "", user_agent: null },
    recorded: false,
    recalled: false,
  });
  return { ...verdict, transformed_payload: transformed === null ? null : JSON.parse(transformed) };
});
