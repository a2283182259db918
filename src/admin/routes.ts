/** Lists the routes of the admin API. */
import type { Route } from "../route.ts";
import { accessRuleRoutes } from "./access-rules.ts";
import { activityRoutes } from "./activity.ts";
import { auditRoutes } from "./audit.ts";
import { catalogEntryRoutes } from "./catalog-entries.ts";
import { collectorRoutes } from "./collectors.ts";
import { consumerKeyRoutes } from "./consumer-keys.ts";
import { consumerRoutes } from "./consumers.ts";
import { detectorRoutes } from "./detectors.ts";
import { feedbackRoutes } from "./feedback.ts";
import { gatewayRoutes } from "./gateways.ts";
import { inboxRoutes } from "./inbox.ts";
import { issuerRoutes } from "./issuers.ts";
import { limitRoutes } from "./limits.ts";
import { modelCatalogRoutes } from "./model-catalog.ts";
import { observedRoute } from "./observed.ts";
import { playgroundRoutes } from "./playground.ts";
import { policyRoutes } from "./policies.ts";
import { policyWithDetectorsRoute } from "./policy-with-detectors.ts";
import { principalTokenRoutes } from "./principal-tokens.ts";
import { registryRoutes } from "./registries.ts";
import { requestRoutes } from "./requests.ts";
import { statisticsRoutes } from "./statistics.ts";
import { testConnectionRoute } from "./test-connection.ts";
import { tokenRoutes } from "./tokens.ts";

export const adminRoutes: readonly Route[] = [
  ...gatewayRoutes,
  testConnectionRoute,
  ...registryRoutes,
  ...modelCatalogRoutes,
  ...consumerRoutes,
  ...consumerKeyRoutes,
  ...limitRoutes,
  ...detectorRoutes,
  ...policyRoutes,
  policyWithDetectorsRoute,
  ...collectorRoutes,
  observedRoute,
  ...activityRoutes,
  ...feedbackRoutes,
  ...requestRoutes,
  ...statisticsRoutes,
  ...playgroundRoutes,
  ...tokenRoutes,
  ...auditRoutes,
  ...inboxRoutes,
  ...accessRuleRoutes,
  ...catalogEntryRoutes,
  ...issuerRoutes,
  ...principalTokenRoutes,
];
