/** Every endpoint that judges, or decides what a judgment asked. */
import type { DirectRoute, Route } from "../route.ts";
import { evaluateRoutes } from "./answer-evaluate.ts";
import { approvalRoutes, checkApprovalRoute } from "./approval-routes.ts";
import { replayRoute } from "./replay-policy.ts";
import { serviceTokenRoute } from "./service-token.ts";
import { testPolicyRoute } from "./test-policy.ts";

export const guardRoutes: readonly (Route | DirectRoute)[] = [
  ...evaluateRoutes,
  serviceTokenRoute,
  checkApprovalRoute,
  ...approvalRoutes,
  testPolicyRoute,
  replayRoute,
];
