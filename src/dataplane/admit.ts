/** Runs the plugins of the gateway, which may refuse the request. */
import { ANONYMOUS, readUser } from "../contract/user-header.ts";
import type { Deps } from "../deps.ts";
import { findClientAddress } from "../lib/http/ip-address.ts";
import { count } from "../lib/metrics.ts";
import type { PluginRequest } from "../plugins/plugin.ts";
import { type Admission, runPlugins } from "../plugins/run-plugins.ts";
import type { KeyView } from "../snapshot/snapshot.ts";
import { liveState } from "./live-state.ts";
import type { AuthenticatedRequest, RequestContext } from "./stages.ts";

export function admit(deps: Deps, known: AuthenticatedRequest): Admission {
  const { gateway } = known.consumer;
  if (gateway.plugins.length === 0) return undefined;
  const { request: received, ids, key } = known;
  const request = pluginRequest(deps, received.headers, ids, key);
  const refused = (plugin: string) => count(liveState(deps).tally.refusals, plugin);
  return runPlugins(deps, { gateway, request, onRejected: refused });
}

/** Without a valid key nobody vouches for the user header, so the user is anonymous. */
export function pluginRequest(
  { settings }: Deps,
  headers: Headers,
  ids: RequestContext,
  key: KeyView | undefined,
): PluginRequest {
  const forwarded = headers.get("x-forwarded-for");
  return {
    key_id: key?.id,
    client: findClientAddress(ids.client, forwarded, settings.TRUSTED_PROXIES),
    user: key ? readUser(headers) : ANONYMOUS,
    headers,
    reply_headers: ids.headers,
  };
}
