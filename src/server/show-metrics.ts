/** GET /metrics, on every address: who may read what is measured, and in which words it is told. */
import { AppError } from "../contract/errors.ts";
import type { App } from "./app.ts";
import { authenticate } from "./authenticate.ts";

export function showMetrics(
  { deps, metrics }: App,
  request: Request,
  headers: Record<string, string>,
): Response {
  if (!deps.settings.METRICS_PUBLIC) {
    const { gateway_ids } = authenticate(deps, { auth: "read" }, request, {});
    if (gateway_ids) {
      throw new AppError(
        "forbidden",
        "Metrics tell of all gateways: this token is limited to some. Use one that is not.",
      );
    }
  }
  return new Response(metrics(), {
    headers: { ...headers, "content-type": "text/plain; version=0.0.4; charset=utf-8" },
  });
}
