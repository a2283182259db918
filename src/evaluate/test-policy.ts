/** Evaluates a sample with a draft or the saved version of a policy, for the Test tab. Nothing is recorded. */
import { AppError } from "../contract/errors.ts";
import { testPolicy } from "../contract/guard/test-policy.ts";
import { readPayload } from "../policy/payload/read-payload.ts";
import { type Route, route } from "../route.ts";
import type { CollectorView } from "../snapshot/snapshot.ts";
import { compileDraft } from "./compile-draft.ts";
import { evaluate } from "./evaluate-body.ts";
import { measureDetectors } from "./measure-detectors.ts";
import { selectContent } from "./select-content.ts";
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
  const { draft, ...request } = call.body;
  const saved = deps.snapshot().policies.get(policy_id);
  if (!saved) throw new AppError("not_found", `Unknown policy "${policy_id}".`);
  const policy = draft ? await compileDraft(deps, policy_id, draft) : saved();
  const { measured, readTimes } = measureDetectors(policy);
  const text = JSON.stringify(request);
  const host = createHost(deps, {
    kind: "collector",
    collector: { ...NO_COLLECTOR, program: () => measured },
  });
  const { verdict, transformed } = await evaluate(host, {
    request,
    text,
    size: Buffer.byteLength(text),
    format: "internal",
    origin: { ...call, client_address: "", user_agent: null },
    recorded: false,
    approval_mode: "explicit",
  });
  const { direction = "input", protocol = "all", attributes = {} } = request;
  const payload = readPayload(request.payload, {
    direction,
    protocol,
    attributes,
    is_foreign_body: false,
  });
  return {
    ...verdict,
    transformed_payload: transformed === null ? null : JSON.parse(transformed),
    // The caller sent the text, so it is returned unmasked.
    content: selectContent("full", payload, { hidden: [], status: verdict.status }) ?? [],
    detector_times: readTimes(),
  };
});
