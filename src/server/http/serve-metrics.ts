/** GET /metrics, on every address: who may read what is measured, and in which words it is told. */

import { authenticate } from "./authenticate.ts";
import type { App } from "./serve-request.ts";

export function serveMetrics(
  { deps, metrics }: App,
  request: Request,
  headers: Record<string, string>,
): Response {
  if (!deps.settings.METRICS_PUBLIC) {
    authenticate(deps, { name: "show_metrics", auth: "read" }, request, {});
  }
  return new Response(metrics(), {
    headers: { ...headers, "content-type": "text/plain; version=0.0.4; charset=utf-8" },
  });
}
