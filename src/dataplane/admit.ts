/** May this request go on? The plugins of the gateway say so. */
import type { Deps } from "../deps.ts";
import { clientAddress } from "../lib/client-address.ts";
import { count } from "../lib/metrics.ts";
import { runPlugins } from "../plugins/run-plugins.ts";
import { liveState } from "./live-state.ts";
import type { Known } from "./stages.ts";

export async function admit(deps: Deps, known: Known): Promise<void> {
  const { gateway } = known.consumer;
  if (gateway.plugins.length === 0) return;
  const { headers } = known.request;
  const asked = {
    key_id: known.key.id,
    client: clientAddress(
      known.ids.client,
      headers.get("x-forwarded-for"),
      deps.settings.TRUSTED_PROXIES,
    ),
    headers,
  };
  const refused = await runPlugins(deps, gateway, asked, known.ids.headers);
  if (!refused) return;
  count(liveState(deps).tally.refusals, refused.plugin);
  throw refused.refusal;
}
