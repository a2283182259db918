/** Runs the plugins of the gateway, which may reject the request. */
import { ANONYMOUS, readUser } from "../contract/gateway/user-header.ts";
import type { Deps } from "../deps.ts";
import { findClientAddress } from "../lib/http/ip-address.ts";
import { count } from "../lib/metrics.ts";
import type { PluginRequest } from "../plugins/plugin.ts";
import { type Admission, runPlugins } from "../plugins/run-plugins.ts";
import type { KeyView } from "../snapshot/snapshot.ts";
import { getLiveState } from "./live-state.ts";
import type { AuthenticatedRequest, RequestContext } from "./stages.ts";

export function applyPlugins(deps: Deps, authenticated: AuthenticatedRequest): Admission {
  const { gateway } = authenticated.consumer;
  if (gateway.plugins.length === 0) return undefined;
  const { request: received, context, key } = authenticated;
  const request = toPluginRequest(deps, received.headers, context, key);
  const onRejected = (plugin: string) => count(getLiveState(deps).metrics.rejections, plugin);
  return runPlugins(deps, { gateway, request, onRejected });
}

/** Without a valid key the user header is not trusted, so the user is anonymous. */
export function toPluginRequest(
  { settings }: Deps,
  headers: Headers,
  context: RequestContext,
  key: KeyView | undefined,
): PluginRequest {
  const forwarded = headers.get("x-forwarded-for");
  return {
    key_id: key?.id,
    client: findClientAddress(context.client(), forwarded, settings.TRUSTED_PROXIES),
    user: key ? readUser(headers) : ANONYMOUS,
    headers,
    reply_headers: context.headers,
  };
}
