/** May this request go on? The plugins of the gateway say so. */
import { userOf } from "../contract/user-header.ts";
import type { Deps } from "../deps.ts";
import { clientAddress } from "../lib/client-address.ts";
import { count } from "../lib/metrics.ts";
import { type Admission, runPlugins } from "../plugins/run-plugins.ts";
import { liveState } from "./live-state.ts";
import type { Known } from "./stages.ts";

export function admit(deps: Deps, known: Known): Admission {
  const { gateway } = known.consumer;
  if (gateway.plugins.length === 0) return undefined;
  const { headers } = known.request;
  const client = clientAddress(
    known.ids.client,
    headers.get("x-forwarded-for"),
    deps.settings.TRUSTED_PROXIES,
  );
  const request = {
    key_id: known.key.id,
    client,
    user: userOf(headers),
    headers,
    reply_headers: known.ids.headers,
  };
  const refused = (plugin: string) => count(liveState(deps).tally.refusals, plugin);
  return runPlugins(deps, { gateway, request, refused });
}
