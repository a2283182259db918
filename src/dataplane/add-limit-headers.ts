/** Adds the rate-limit headers to the response of a request that is rejected before plugins run (spec 8.6). */
import type { Deps } from "../deps.ts";
import { describePlugins } from "../plugins/run-plugins.ts";
import { findKeyAtGateway } from "../snapshot/find-consumer.ts";
import { toPluginRequest } from "./apply-plugins.ts";
import { splitUrl } from "./match-endpoint.ts";
import type { RequestContext } from "./stages.ts";

/** Reads only memory, so that a flood of requests without a key loads neither Redis nor the database. */
export function addLimitHeaders(
  deps: Deps,
  { url, headers }: Request,
  context: RequestContext,
): void {
  const snapshot = deps.snapshot();
  const consumer = snapshot.consumersBySlug.get(splitUrl(url).slug);
  if (!consumer?.active || consumer.gateway.plugins.length === 0) return;
  const { gateway } = consumer;
  const key = findKeyAtGateway(snapshot, headers, gateway, deps.now());
  describePlugins(deps, { gateway, request: toPluginRequest(deps, headers, context, key) });
}
