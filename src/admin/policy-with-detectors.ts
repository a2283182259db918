/** Creates a policy and its detectors in one transaction. */
import type { Endpoint } from "../contract/endpoint.ts";
import { AppError } from "../contract/errors.ts";
import { detectors as endpoints } from "../contract/guard/detectors.ts";
import {
  createPolicyWithDetectors,
  type Policy,
  type PolicyWithDetectors,
  policies,
} from "../contract/guard/policies.ts";
import type { Deps } from "../deps.ts";
import { type Call, type Route, route } from "../route.ts";
import { detectorRoutes } from "./detectors.ts";
import { policyRoutes } from "./policies.ts";

/** Runs the operation of an endpoint in the same transaction, for the same caller. */
async function run<Reply>(
  routes: readonly Route[],
  endpoint: Endpoint,
  deps: Deps,
  call: Call,
): Promise<Reply> {
  const bound = routes.find((candidate) => candidate.endpoint === endpoint);
  // Operations are type-checked against the reply schema of their endpoint.
  return (await bound?.handle(deps, call)) as Reply;
}

export const policyWithDetectorsRoute = route(
  createPolicyWithDetectors,
  async (deps, call): Promise<Policy> => {
    const { detectors, input_rules, output_rules, ...policy } = call.body;
    const ids = await createDetectors(deps, call, detectors);
    const toRules = (side: "input_rules" | "output_rules") =>
      call.body[side].map(({ detector, ...rule }, index) => {
        const detector_id = ids.get(detector);
        if (detector_id) return { ...rule, detector_id };
        throw new AppError(
          "validation_failed",
          `${side}[${index}].detector: must be the name of one of detectors`,
        );
      });
    const body = {
      ...policy,
      input_rules: toRules("input_rules"),
      output_rules: toRules("output_rules"),
    };
    return await run(policyRoutes, policies.create, deps, { ...call, body });
  },
);

/** Returns the ids by name. An error names the detector by its position. */
async function createDetectors(
  deps: Deps,
  call: Call,
  inputs: PolicyWithDetectors["detectors"],
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const [index, body] of inputs.entries()) {
    try {
      const at = { ...call, body };
      const { id } = await run<{ id: string }>(detectorRoutes, endpoints.create, deps, at);
      ids.set(body.name, id);
    } catch (thrown) {
      if (!(thrown instanceof AppError)) throw thrown;
      const parts = thrown.message.split(/; (?=[\w.[\]]+: )/);
      const message = parts.map((part) => `detectors[${index}].${part}`).join("; ");
      throw new AppError(thrown.code, message, { cause: thrown });
    }
  }
  return ids;
}
