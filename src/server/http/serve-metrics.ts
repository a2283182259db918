/** Serves `GET /metrics` in the Prometheus text format, on every address. */

import { authenticate } from "./authenticate.ts";
import type { App } from "./serve-request.ts";

export async function serveMetrics(
  { deps, metrics }: App,
  request: Request,
  headers: Record<string, string>,
): Promise<Response> {
  if (!deps.settings.METRICS_PUBLIC) {
    authenticate(deps, { name: "show_metrics", auth: "read" }, request, {});
  }
  return new Response(await metrics(), {
    headers: { ...headers, "content-type": "text/plain; version=0.0.4; charset=utf-8" },
  });
}
