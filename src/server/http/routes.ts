/** Lists the routes of all planes. */
import { activityExportRoute } from "../../admin/activity.ts";
import { auditExportRoute } from "../../admin/audit.ts";
import { feedbackExportRoute } from "../../admin/export-feedback.ts";
import { adminRoutes } from "../../admin/routes.ts";
import { consumerModelRoutes } from "../../dataplane/models/consumer-model-routes.ts";
import { explainRoutes } from "../../dataplane/routing/explain-routes.ts";
import { guardRoutes } from "../../evaluate/routes.ts";
import { storeRoutes } from "../../mcp-store/routes.ts";
import { liveRoute } from "./live-route.ts";
import type { AnyRoute } from "./serve-request.ts";
import { sessionRoutes } from "./session.ts";

export const routes: readonly AnyRoute[] = [
  ...sessionRoutes,
  ...adminRoutes,
  activityExportRoute,
  auditExportRoute,
  feedbackExportRoute,
  liveRoute,
  ...explainRoutes,
  ...consumerModelRoutes,
  ...guardRoutes,
  ...storeRoutes,
];
