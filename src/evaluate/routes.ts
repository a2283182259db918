/** Routes of evaluations, approvals, service tokens, calibration, and the test and replay of policies. */
import { evaluate, evaluateBatch, guard } from "../contract/guard/evaluate.ts";
import { hookEndpoints } from "../contract/guard/hooks.ts";
import { litellmGuardrail } from "../contract/guard/litellm.ts";
import type { DirectRoute, Route } from "../route.ts";
import { approvalRoutes, checkApprovalRoute } from "./approvals/approval-routes.ts";
import { calibrationRoutes } from "./calibration-routes.ts";
import { handleEvaluate } from "./handle-evaluate.ts";
import { replayRoute } from "./replay-policy.ts";
import { serviceTokenRoute } from "./service-token.ts";
import { testPolicyRoute } from "./test-policy.ts";

const evaluateRoutes: readonly DirectRoute[] = [
  { endpoint: evaluate, respond: (deps, call) => handleEvaluate(deps, call, "evaluate") },
  { endpoint: guard, respond: (deps, call) => handleEvaluate(deps, call, "guard") },
  { endpoint: evaluateBatch, respond: (deps, call) => handleEvaluate(deps, call, "batch") },
  { endpoint: litellmGuardrail, respond: (deps, call) => handleEvaluate(deps, call, "litellm") },
  ...hookEndpoints.map(
    ({ agent, endpoint }): DirectRoute => ({
      endpoint,
      respond: (deps, call) => handleEvaluate(deps, call, agent),
    }),
  ),
];

export const guardRoutes: readonly (Route | DirectRoute)[] = [
  ...evaluateRoutes,
  serviceTokenRoute,
  checkApprovalRoute,
  ...approvalRoutes,
  ...calibrationRoutes,
  testPolicyRoute,
  replayRoute,
];
