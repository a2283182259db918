/** Every described endpoint of the program, from all the parts that answer them. */
import { adminRoutes } from "../admin/routes.ts";
import { explainRoutes } from "../dataplane/explain.ts";
import { storeRoutes } from "../mcp-store/routes.ts";
import type { Route } from "../route.ts";
import { sessionRoutes } from "./session.ts";

export const routes: readonly Route[] = [
  ...sessionRoutes,
  ...adminRoutes,
  ...explainRoutes,
  ...storeRoutes,
];
